"""The processor that a benchmark ran on."""

import pathlib
import re


def cpuinfo(*keys):
    info = pathlib.Path("/proc/cpuinfo").read_text()
    return [re.search(rf"^{key}\s*: (.*)$", info, re.M)[1] for key in keys]


def machine():
    """The name that distinguishes the sections of processors."""
    return "{} (family {}, model {})".format(*cpuinfo("model name", "cpu family", "model"))


def processor():
    """The same, with the instructions that matter here."""
    (flags,) = cpuinfo("flags")
    of_interest = [flag for flag in ("adx", "avx2", "avx512f", "avx512ifma", "sha_ni", "vaes", "vpclmulqdq") if flag in flags.split()]
    return f"{machine()[:-1]}: {', '.join(of_interest)})"
