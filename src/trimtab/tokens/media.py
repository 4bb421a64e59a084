"""What images, sounds, videos and files cost: by size in pixels, seconds or pages, never by their base64 text.

Unknown sizes take the most that the rule can give, or a stated default. All rules err upward. The rules are those of
the providers' pages named below as remembered in 2026-11; the worked examples of two of them are tests.
"""

from __future__ import annotations

from math import ceil

from trimtab.core.messages import Media
from trimtab.tokens.families import MediaRule

# OpenAI "Images and vision": at most 2,048 pixels a side, shorter side to 768, tiles of 512.
TILE_RULES: dict[str, tuple[int, int]] = {"openai": (85, 170), "openai_mini": (2_833, 5_667)}
OPENAI_LONG_SIDE = 2_048
OPENAI_SHORT_SIDE = 768
OPENAI_TILE = 512
# Patches of 32 pixels, at most 1,536 (high) or 10,000 (original), times a factor by model: 1.62 to 2.46.
PATCH = 32
PATCH_LIMIT = 1_536
PATCH_LIMIT_ORIGINAL = 10_000
PATCH_FACTOR = 2.46
# Anthropic "Vision": width x height / 750, scaled down to about 1,600 tokens; from Opus 4.7 on to 2,576 pixels a side.
ANTHROPIC_PIXELS_PER_TOKEN = 750
ANTHROPIC_LIMITS: dict[str, int] = {"anthropic": 1_600, "anthropic_large": 4_784}
# Gemini "Tokens": 258 for a tile of 768 pixels; Gemini 3 gives one image 1,120 unless told otherwise.
GEMINI_TILE = 768
GEMINI_TILE_TOKENS = 258
GEMINI_LEAST = 1_120
GEMINI_LIMIT = 4_128  # 16 tiles
# Open models (Qwen-VL and alike): a patch of 28 pixels a token.
PLAIN_PATCH = 28
PLAIN_UNKNOWN = 1_600
PLAIN_LIMIT = 16_384

AUDIO_TOKENS_PER_SECOND = 32  # Gemini; OpenAI takes 10
VIDEO_TOKENS_PER_SECOND = 300  # Gemini: 258 a second and the sound
PCM_BYTES_PER_SECOND = 16_000  # 8 kHz, 16 bit: the longest a WAV of that size can well be
PACKED_AUDIO_BYTES_PER_SECOND = 2_000  # 16 kbit/s
VIDEO_BYTES_PER_SECOND = 32_000  # 256 kbit/s
UNKNOWN_SECONDS = 60
PAGE_TEXT_TOKENS = 3_000  # Anthropic "PDF support": 1,500 to 3,000 a page, and the page as an image
BYTES_PER_PAGE = 30_000  # a dense text page in a PDF; scans have fewer pages a byte
# Of a file that is only named, by id or address, nothing is known: a short one is assumed. Counting it as a book
# would push it out of every ordinary window; the provider's own "too long" corrects the other case.
UNKNOWN_PAGES = 2
TEXT_BYTES_PER_TOKEN = 2
_PCM = ("wav", "x-wav", "pcm", "pcm16", "l16")


def count_media(part: Media, rule: MediaRule) -> int:
    """Tokens of one piece of media, at least 1."""
    if part.kind == "image":
        return image_tokens(part.width, part.height, part.detail, rule)
    if part.kind == "audio":
        packed = part.media_type.rsplit("/", 1)[-1].lower() not in _PCM
        per_second = PACKED_AUDIO_BYTES_PER_SECOND if packed else PCM_BYTES_PER_SECOND
        return _seconds(part.size_bytes, per_second) * AUDIO_TOKENS_PER_SECOND
    if part.kind == "video":
        return _seconds(part.size_bytes, VIDEO_BYTES_PER_SECOND) * VIDEO_TOKENS_PER_SECOND
    return _file_tokens(part, rule)


def image_tokens(width: int, height: int, detail: str, rule: MediaRule) -> int:
    """Tokens of an image. Width and height in pixels, 0 where unknown; `detail` as OpenAI names it."""
    known = width > 0 and height > 0
    if rule in TILE_RULES:
        return _tile_tokens(width, height, detail, rule)
    if rule == "openai_patch":
        limit = PATCH_LIMIT_ORIGINAL if detail == "original" else PATCH_LIMIT
        patches = ceil(width / PATCH) * ceil(height / PATCH) if known else limit
        return ceil(min(patches, limit) * PATCH_FACTOR)
    if rule in ANTHROPIC_LIMITS:
        limit = ANTHROPIC_LIMITS[rule]
        return min(limit, ceil(width * height / ANTHROPIC_PIXELS_PER_TOKEN)) if known else limit
    if rule == "gemini":
        tiles = ceil(width / GEMINI_TILE) * ceil(height / GEMINI_TILE) if known else 1
        return min(GEMINI_LIMIT, max(GEMINI_LEAST, tiles * GEMINI_TILE_TOKENS))
    # two more for the markers around it
    return min(PLAIN_LIMIT, ceil(width / PLAIN_PATCH) * ceil(height / PLAIN_PATCH) + 2) if known else PLAIN_UNKNOWN


def _tile_tokens(width: int, height: int, detail: str, rule: str) -> int:
    base, per_tile = TILE_RULES[rule]
    if detail == "low":
        return base
    if width <= 0 or height <= 0:
        return base + per_tile * ceil(OPENAI_LONG_SIDE / OPENAI_TILE) * ceil(OPENAI_SHORT_SIDE / OPENAI_TILE)
    scale = min(1.0, OPENAI_LONG_SIDE / max(width, height))
    scale = min(scale, OPENAI_SHORT_SIDE / min(width, height))
    # the scaled side is floored by a hair, so that 768 x 1.0 does not become a second tile
    across, down = (max(1, ceil(side * scale / OPENAI_TILE - 1e-9)) for side in (width, height))
    return base + per_tile * across * down


def _seconds(size_bytes: int, bytes_per_second: int) -> int:
    return ceil(size_bytes / bytes_per_second) if size_bytes > 0 else UNKNOWN_SECONDS


def _file_tokens(part: Media, rule: MediaRule) -> int:
    if part.media_type.startswith("text/") or part.media_type.endswith(("json", "xml")):
        return max(1, ceil(part.size_bytes / TEXT_BYTES_PER_TOKEN)) if part.size_bytes else UNKNOWN_PAGES * PAGE_TEXT_TOKENS
    pages = part.pages or (ceil(part.size_bytes / BYTES_PER_PAGE) if part.size_bytes else UNKNOWN_PAGES)
    # a page goes in as its text and, but for Gemini, as a picture as well
    picture = 0 if rule == "gemini" else image_tokens(1_024, 1_325, "high", rule)
    return pages * (PAGE_TEXT_TOKENS + picture)
