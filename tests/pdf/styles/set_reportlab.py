"""Renders a text by reportlab. Usage: set_reportlab.py TEXT.json OUT.pdf, the text as pandoc's JSON."""

import json
import sys

from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import ListFlowable, ListItem, Paragraph, Preformatted, SimpleDocTemplate, Table, TableStyle

rl_config.invariant = 1
STYLES = getSampleStyleSheet()


def text(inlines):
    out = ""
    for one in inlines:
        kind, content = one["t"], one.get("c")
        if kind == "Str":
            out += content.replace("&", "&amp;").replace("<", "&lt;")
        elif kind in ("Space", "SoftBreak"):
            out += " "
        elif kind in ("Emph", "Strong"):
            out += f"<i>{text(content)}</i>"
        elif kind == "Quoted":
            left, right = ("\u201c", "\u201d") if content[0]["t"] == "DoubleQuote" else ("\u2018", "\u2019")
            out += left + text(content[1]) + right
        elif kind == "Link":
            out += f'<a href="{content[2][0]}">{text(content[1])}</a>'
    return out


def cells(row):
    return [text(cell[4][0]["c"]) if cell[4] else "" for cell in row[1]]


def blocks(source):
    for block in source:
        kind, content = block["t"], block.get("c")
        if kind == "Header":
            yield Paragraph(text(content[2]), STYLES[f"Heading{content[0]}"])
        elif kind in ("Para", "Plain"):
            yield Paragraph(text(content), STYLES["BodyText"])
        elif kind in ("BulletList", "OrderedList"):
            ordered = kind == "OrderedList"
            items = content[1] if ordered else content
            yield ListFlowable(
                [ListItem(list(blocks(item))) for item in items],
                bulletType="1" if ordered else "bullet",
                **({} if ordered else {"start": "\u2022"}),
            )
        elif kind == "CodeBlock":
            yield Preformatted(content[1], STYLES["Code"])
        elif kind == "Table":
            rows = [cells(row) for row in content[3][1]] + [cells(row) for body in content[4] for row in body[3]]
            rows = [[Paragraph(cell, STYLES["BodyText"]) for cell in row] for row in rows] if len(rows) > 9 else rows
            yield Table(rows, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))


def numbered(canvas, document):
    canvas.setFont("Helvetica", 8)
    canvas.drawCentredString(A4[0] / 2, 30, f"Page {document.page}")


source = json.load(open(sys.argv[1], encoding="utf-8"))
document = SimpleDocTemplate(sys.argv[2], pagesize=A4)
document.build(list(blocks(source["blocks"])), onFirstPage=numbered, onLaterPages=numbered)
