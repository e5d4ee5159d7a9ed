"""Sets a text by Typst. Usage: set_typst.py HEAD.typ TEXT.json OUT.pdf, the text as pandoc's JSON."""

import json
import sys

import typst


def text(inlines):
    out = ""
    for one in inlines:
        kind, content = one["t"], one.get("c")
        if kind == "Str":
            out += "".join("\\" + c if c in "#*_`$<>@[]\\~" else c for c in content)
        elif kind in ("Space", "SoftBreak"):
            out += " "
        elif kind in ("Emph", "Strong"):
            out += f"#emph[{text(content)}]"
        elif kind == "Quoted":
            out += "\u201c" + text(content[1]) + "\u201d"
        elif kind == "Link":
            out += f'#link("{content[2][0]}")[{text(content[1])}]'
    return out


def blocks(source):
    for block in source:
        kind, content = block["t"], block.get("c")
        if kind == "Header":
            yield f"#heading(level: {content[0]})[{text(content[2])}]"
        elif kind in ("Para", "Plain"):
            yield f"#par[{text(content)}]" if kind == "Para" else text(content)
        elif kind in ("BulletList", "OrderedList"):
            items = content if kind == "BulletList" else content[1]
            name = "list" if kind == "BulletList" else "enum"
            yield f"#{name}(" + ", ".join("[" + "\n".join(blocks(item)) + "]" for item in items) + ")"
        elif kind == "CodeBlock":
            yield f"#raw({json.dumps(content[1], ensure_ascii=False)}, block: true)"
        elif kind == "Table":
            rows = content[3][1] + [row for body in content[4] for row in body[3]]
            cells = [text(cell[4][0]["c"]) if cell[4] else "" for row in rows for cell in row[1]]
            yield f"#table(columns: {len(content[2])}, " + ", ".join(f"[{cell}]" for cell in cells) + ")"


head, tree, out = sys.argv[1:4]
source = json.load(open(tree, encoding="utf-8"))
body = out + ".typ"
with open(body, "w", encoding="utf-8") as file:
    file.write(open(head, encoding="utf-8").read() + "\n\n".join(blocks(source["blocks"])))
typst.compile(body, output=out)
