"""What a library of the comparison is (libraries.py lists them), and the ladders of settings."""

import math
import os

# Highest factor between two efforts that are tried.
STEP = 1.3
# Candidates that are scored exactly, per result, at most.
REFINED_MOST = 100


def ladder(low, high):
    """Whole numbers from low to high in steps of at most STEP, or of 1."""
    values = [low]
    while values[-1] < high:
        values.append(min(high, max(values[-1] + 1, math.floor(values[-1] * STEP))))
    return values


def factors(low, high):
    """Numbers from low to high in steps of STEP."""
    count = math.ceil(math.log(high / low) / math.log(STEP))
    return [low * (high / low) ** (n / count) for n in range(count + 1)]


class Library:
    variants = [None]
    # Whether it groups rows by document itself. Such a library is compared for documents only.
    groups = False

    def __init__(self, data, built, threads):
        self.data, self.built, self.threads = data, built, threads

    def path(self, name):
        return os.path.join(self.built, name)

    def build(self, variant):
        pass

    def supports(self, share):
        """Whether it can apply a filter that this share of the rows passes."""
        return True
