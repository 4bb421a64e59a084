"""Images by pixels, sounds by seconds, files by pages; never by base64."""

from __future__ import annotations

import base64
import struct

import pytest

from trimtab.core.messages import Media, Message
from trimtab.tokens import counter_for
from trimtab.tokens.media import count_media, image_tokens
from trimtab.tokens.sources import image_size, media_at, media_inline


@pytest.mark.parametrize(
    ("size", "detail", "tokens"),
    [
        # the worked examples of OpenAI's "Images and vision" page
        ((1_024, 1_024), "high", 765),
        ((2_048, 4_096), "high", 1_105),
        ((4_096, 8_192), "low", 85),
        ((512, 512), "", 255),
        ((768, 768), "auto", 765),
        ((1, 1), "high", 255),
        ((0, 0), "high", 1_445),
        ((0, 0), "low", 85),
    ],
)
def test_openai_tiles(size: tuple[int, int], detail: str, tokens: int) -> None:
    assert image_tokens(*size, detail, "openai") == tokens


@pytest.mark.parametrize(
    ("size", "tokens"),
    # Anthropic's "Vision" page: 200 x 200 about 54, 1,000 x 1,000 about 1,334, 1,092 x 1,092 about 1,590
    [((200, 200), 54), ((1_000, 1_000), 1_334), ((1_092, 1_092), 1_590), ((4_000, 4_000), 1_600), ((0, 0), 1_600)],
)
def test_anthropic_pixels(size: tuple[int, int], tokens: int) -> None:
    assert image_tokens(*size, "", "anthropic") == tokens


@pytest.mark.parametrize("rule", ["openai", "openai_mini", "openai_patch", "anthropic", "anthropic_large", "gemini", "plain"])
def test_a_larger_image_never_costs_less_and_no_image_is_free(rule: str) -> None:
    counts = [image_tokens(side, side, "high", rule) for side in (1, 100, 500, 768, 1_024, 2_000, 9_000)]  # type: ignore[arg-type]
    # OpenAI scales large images down to one size, so they stop growing
    assert counts == sorted(counts)
    assert 0 < counts[0] <= image_tokens(0, 0, "high", rule) * 2  # type: ignore[arg-type]


def png(width: int, height: int, padding: int = 0) -> str:
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\x00\x00\x00" + b"\0" * padding
    return "data:image/png;base64," + base64.b64encode(content).decode()


def test_base64_length_plays_no_part() -> None:
    light, heavy = media_at("image", png(640, 480)), media_at("image", png(640, 480, 900_000))
    assert heavy.size_bytes > 900_000
    assert count_media(light, "anthropic") == count_media(heavy, "anthropic") == 410
    message = Message(role="user", parts=(heavy,), wire_format="openai_chat", wire=b"{}")
    assert counter_for("gpt-4o").count_message(message) < 1_000


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 31, 17), (31, 17)),
        (b"GIF89a" + struct.pack("<HH", 31, 17), (31, 17)),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 17, 31), (31, 17)),
        (b"\xff\xd8\xff\xe0\x00\x04ab", (0, 0)),
        (b"\xff\xd8\xff\xe0\x00\x00", (0, 0)),
        (b"RIFF....WEBPVP8 " + b"\0" * 10 + struct.pack("<HH", 31, 17), (31, 17)),
        (b"RIFF....WEBPVP8L" + b"\0" * 4 + b"\x2f" + struct.pack("<I", 30 | 16 << 14) + b"\0" * 5, (31, 17)),
        (b"RIFF....WEBPVP8X" + b"\0" * 8 + b"\x1e\0\0" + b"\x10\0\0", (31, 17)),
        (b"", (0, 0)),
        (b"not a picture", (0, 0)),
    ],
)
def test_sizes_are_read_off_headers(content: bytes, size: tuple[int, int]) -> None:
    assert image_size(content) == size


def test_sounds_and_videos_by_their_length() -> None:
    second = Media(kind="audio", media_type="audio/wav", size_bytes=16_000)
    assert count_media(second, "gemini") == 32
    assert count_media(Media(kind="audio", media_type="audio/mp3", size_bytes=16_000), "gemini") == 8 * 32
    assert count_media(Media(kind="audio", url="https://example.org/a.mp3"), "gemini") == 60 * 32
    assert count_media(Media(kind="video", url="https://example.org/a.mp4"), "gemini") == 60 * 300


def test_files_by_pages_else_by_bytes() -> None:
    one, three = Media(kind="file", media_type="application/pdf", pages=1), Media(kind="file", media_type="application/pdf", pages=3)
    assert count_media(three, "anthropic") == 3 * count_media(one, "anthropic") == 3 * 4_600
    assert count_media(Media(kind="file", media_type="application/pdf", size_bytes=60_000), "anthropic") == 2 * 4_600
    assert count_media(Media(kind="file", media_type="text/plain", size_bytes=1_000), "plain") == 500
    assert count_media(Media(kind="file", url="file-id:1"), "gemini") == 6_000
    content = base64.b64encode(b"%PDF-1.7 <</Type /Page>> <</Type/Pages>> <</Type/Page >>").decode()
    assert media_inline("file", "application/pdf", content).pages == 2
