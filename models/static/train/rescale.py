"""Fits the scale of similarity of an existing model again, without training: languages, cohort and calibration.

    python train.py --data ../shared/data --out OUT --work WORK --to-stage collect
    python rescale.py WORK MODEL OUT

Only the sections `config` and `bags` of OUT differ from MODEL. Rows, the title's share and the scale of passages stay, so that
vectors of passages stay the same, and indexes with them. `bags` names MODEL, whose token bags are those of OUT.
"""

import json
import os
import struct
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import calibrate
import scale
from export import TRANSLATIONS
from pack import Container
from unpack import Model, sections

FIXTURES = Path(__file__).parents[3] / "fixtures"


def packed(parts):
    out = Container()
    for name, data in parts.items():
        out.section(name, data)
    return out.finish()


def refitted(work, path, parts):
    """(config, report)"""
    model = Model(path)
    config = model.config
    first, share = config["languages"]["first"], config["title_share"]
    table = model.rows[:, :first] * model.factors[:, None]
    rows = np.frombuffer(parts["cohort"], "i1").reshape(-1, model.rows.shape[1])[:, :first]
    cohort = rows * np.frombuffer(parts["cohort_scales"], "<f4")[:, None]
    collection = calibrate.Collection(work, model.tokenizer, table)
    pools = scale.kipris_pools(collection, share, np.arange(len(collection.gold)), cohort)
    fixtures = scale.fixture_pool(FIXTURES, model.tokenizer, table, share, cohort)
    calibration, languages, of_cohort, report = scale.fit(fixtures, pools, first)
    assert languages["passage"] == config["languages"]["passage"], "the scale of passages would change"
    fitted = {"calibration": calibration, "languages": languages, "cohort": of_cohort}
    return {**config, **fitted, "translations": TRANSLATIONS}, report


def name_of(path):
    """The name of a model in its token bags: the checksum in the footer (native/core/src/file.rs)."""
    return format(struct.unpack("<QQQQ", path.read_bytes()[-40:-8])[2], "016x").encode()


def main():
    work, path, out = map(Path, sys.argv[1:])
    parts = sections(path)
    assert packed(parts) == path.read_bytes(), "the file is not as pack.py writes it"
    config, report = refitted(work, path, parts)
    print(json.dumps(report, indent=1))
    parts["config"] = json.dumps(config, ensure_ascii=False, sort_keys=True).encode()
    parts.setdefault("bags", name_of(path))
    temporary = out.with_suffix(".tmp")
    temporary.write_bytes(packed(parts))
    os.replace(temporary, out)


if __name__ == "__main__":
    main()
