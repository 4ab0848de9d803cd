"""Pages for the zoo, and a PDF."""

QUESTION = "전기차 구매 보조금 기준은 어떻게 바뀌었나요?"
ENGLISH_QUESTION = "How did the subsidy for electric vehicles change?"


def korean(subject: str = "전기차", paragraphs: int = 8, published: str | None = "2025-03-05", title: str = "") -> str:
    title = title or f"{subject} 구매 보조금 개편 안내"
    text = "".join(
        f"<p>환경부는 올해 {number}차 {subject} 구매 보조금 기준을 새로 정했다고 밝혔다. "
        f"지방자치단체는 {number + 3}월부터 새 기준을 적용한다.</p>"
        for number in range(paragraphs)
    )
    return html(title, text, published=published, language="ko")


def english(subject: str = "electric vehicles", published: str | None = "2025-03-05") -> str:
    sentences = [
        f"The ministry changed the subsidy for {subject} in step {number}, and buyers of small {subject} receive more."
        for number in range(8)
    ]
    return html(f"Subsidy for {subject}", "".join(f"<p>{sentence}</p>" for sentence in sentences), published=published)


def html(title: str, body: str, *, published: str | None = None, language: str = "en", head: str = "") -> str:
    date = f'<meta property="article:published_time" content="{published}">' if published else ""
    return (
        f'<!doctype html><html lang="{language}"><head><title>{title}</title>{date}{head}</head><body>'
        f'<nav><a href="/">Home</a> <a href="/in">Login</a></nav><main><article><h1>{title}</h1>{body}</article></main>'
        "<footer>Copyright 2011</footer></body></html>"
    )


def pdf(lines: list[str], created: str = "D:20250305090000+09'00'") -> bytes:
    """A one-page PDF with a real text layer."""
    shown = "".join(f"({line}) Tj 0 -16 Td " for line in lines)
    content = f"BT /F1 12 Tf 40 760 Td {shown}ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        f"<< /Title (Subsidy report) /CreationDate ({created}) >>".encode(),
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, data in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    xref = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + xref
    return out + b"trailer\n<< /Size 6 /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start
