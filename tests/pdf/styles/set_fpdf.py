"""Renders a text by fpdf2. Usage: set_fpdf.py TEXT.html OUT.pdf."""

import datetime
import sys

from fpdf import FPDF

document = FPDF(format="A4")
document.set_creation_date(datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
document.add_page()
document.set_font("Times", size=11)
text = open(sys.argv[1], encoding="utf-8").read()
# The fonts that every reader has know no typographic apostrophe.
document.write_html(text.replace("\u2019", "'"))
document.output(sys.argv[2])
