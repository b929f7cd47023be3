"""Writes sheets as a PDF: content streams, simple TrueType fonts and their text maps, the same bytes each time."""

from __future__ import annotations

import pymupdf

from scripts.sample.fonts import Face
from scripts.sample.sheet import Box, Outline, Picture, Piece, Sheet

WIDTH, HEIGHT = 595, 842


def build(sheets: list[Sheet], head: dict[str, str], ff: dict[str, str]) -> bytes:
    """The PDF of the sheets; ``ff`` gives the wrong character of "ff" by face, empty where the text map is right."""
    document = pymupdf.open()
    faces: dict[str, Face] = {}
    contents = [_content(sheet, faces, ff) for sheet in sheets]
    fonts = " ".join(f"/{name} {_font(document, face)} 0 R" for name, face in sorted(faces.items()))
    for sheet, content in zip(sheets, contents, strict=True):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        stream = _stream(document, content)
        pictures = [shape for shape in sheet.shapes if isinstance(shape, Picture)]
        images = "".join(f"/Im{index} {_image(document, picture)} 0 R " for index, picture in enumerate(pictures))
        document.xref_set_key(page.xref, "Resources", f"<< /Font << {fonts} >> /XObject << {images} >> >>")
        document.xref_set_key(page.xref, "Contents", f"{stream} 0 R")
    name = f"{head['season']} F1 Sample Regulations - Section {head['section']} [{head['name']}]"
    stamp = f"D:{head['date'].replace('-', '')}120000Z"
    document.set_metadata(
        {
            "title": f"{name} - Iss {head['issue']} - {head['date']}",
            "author": "TechReg Analyst",
            "subject": "Invented sample, not a regulation of the FIA",
            "creator": "scripts/build_sample.py",
            "producer": "",
            "creationDate": stamp,
            "modDate": stamp,
        }
    )
    return bytes(document.tobytes(garbage=3, deflate=True, no_new_id=True))


def _content(sheet: Sheet, faces: dict[str, Face], ff: dict[str, str]) -> bytes:
    pictures = [shape for shape in sheet.shapes if isinstance(shape, Picture)]
    parts = [_shape(shape) for shape in sheet.shapes if not isinstance(shape, Picture)]
    parts += [_place(picture, index) for index, picture in enumerate(pictures)]
    parts += [_piece(piece, faces, ff) for piece in sheet.pieces]
    return b"\n".join(parts)


def _place(picture: Picture, index: int) -> bytes:
    box = picture.box
    matrix = f"{box.x1 - box.x0:.2f} 0 0 {box.y1 - box.y0:.2f} {box.x0:.2f} {HEIGHT - box.y1:.2f}"
    return f"q {matrix} cm /Im{index} Do Q".encode("ascii")


def _shape(shape: Box | Outline) -> bytes:
    if isinstance(shape, Outline):
        return _outline(shape)
    size = f"{shape.x1 - shape.x0:.2f} {shape.y1 - shape.y0:.2f}"
    return f"{_rgb(shape.color)} rg {shape.x0:.2f} {HEIGHT - shape.y1:.2f} {size} re f".encode("ascii")


def _outline(outline: Outline) -> bytes:
    first, *rest = (f"{x:.2f} {HEIGHT - y:.2f}" for x, y in outline.points)
    path = f"{first} m " + " ".join(f"{point} l" for point in rest) + " h"
    paint = f"{_rgb(outline.color)} RG {outline.width:g} w {path} S" if outline.width else None
    return (paint or f"{_rgb(outline.color)} rg {path} f").encode("ascii")


def _piece(piece: Piece, faces: dict[str, Face], ff: dict[str, str]) -> bytes:
    look = piece.look
    face = faces.setdefault(f"F{look.face}", Face(look.face, ff.get(look.face, "")))
    start = f"BT {_rgb(look.color)} rg /F{look.face} {look.size:g} Tf {piece.spread:.4f} Tw"
    shown = face.encode(piece.text).hex()
    return f"{start} {piece.x:.2f} {HEIGHT - piece.baseline:.2f} Td <{shown}> Tj ET".encode("ascii")


def _rgb(color: int) -> str:
    return " ".join(f"{(color >> shift & 255) / 255:.4f}".rstrip("0").rstrip(".") for shift in (16, 8, 0))


def _font(document: pymupdf.Document, face: Face) -> int:
    program, text_map = _stream(document, face.program()), _stream(document, face.to_unicode())
    x0, y0, x1, y1, ascent, descent = face.bounds()
    slant = -12 if "italic" in face.face else 0
    descriptor = _object(
        document,
        f"<< /Type /FontDescriptor /FontName /{face.name} /Flags 4 /FontBBox [{x0} {y0} {x1} {y1}] "
        f"/ItalicAngle {slant} /Ascent {ascent} /Descent {descent} /CapHeight 689 /StemV 80 "
        f"/FontFile2 {program} 0 R >>",
    )
    widths = " ".join(str(width) for width in face.widths())
    return _object(
        document,
        f"<< /Type /Font /Subtype /TrueType /BaseFont /{face.name} /FirstChar 0 /LastChar 255 "
        f"/Widths [{widths}] /FontDescriptor {descriptor} 0 R /ToUnicode {text_map} 0 R >>",
    )


def _image(document: pymupdf.Document, picture: Picture) -> int:
    xref = _object(
        document,
        f"<< /Type /XObject /Subtype /Image /Width {picture.columns} /Height {picture.rows} "
        "/ColorSpace /DeviceGray /BitsPerComponent 8 >>",
    )
    document.update_stream(xref, picture.samples)
    return xref


def _object(document: pymupdf.Document, source: str) -> int:
    xref = int(document.get_new_xref())
    document.update_object(xref, source)
    return xref


def _stream(document: pymupdf.Document, data: bytes) -> int:
    xref = _object(document, "<<>>")
    document.update_stream(xref, data, new=True)
    return xref
