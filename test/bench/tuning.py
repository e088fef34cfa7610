"""Prints what bench/peers/tuning.py finds for costs and recalls that are known, beside the best by trying all."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../bench/peers"))
from tuning import border, least, settle  # noqa: E402

found = []
for case in json.load(sys.stdin):
    efforts, depths = case["efforts"], case["depths"]
    tried = []

    def judge(effort, depth, case=case, efforts=efforts, depths=depths, tried=tried):
        tried.append((effort, depth))
        a, b = efforts[effort], depths[depth]
        cost = case["perEffort"] * a + case["perDepth"] * b
        if cost > case["patience"]:
            return None
        # Both have to suffice; more of one makes up for some of the other.
        return a * b >= case["product"] and b >= case["leastDepth"], cost

    settings = border(efforts, depths, judge)
    everything = [
        (judge(effort, depth)[1], effort, depth)
        for effort in range(len(efforts))
        for depth in range(len(depths))
        if judge(effort, depth) is not None and judge(effort, depth)[0]
    ]
    found.append({
        "found": settings[0] if settings else None,
        "best": min(everything) if everything else None,
        "reached": all(judge(effort, depth)[0] for _, effort, depth in settings),
    })

print(json.dumps({
    "found": found,
    "least": [least(12, lambda at, edge=edge: (at >= edge, at)) for edge in range(13)],
    "tooLong": least(12, lambda at: None if at > 5 else (at > 5, at)),
    "down": settle(9, 12, lambda at: (at >= 7, at)),
    "up": settle(5, 12, lambda at: (at >= 7, at)),
    "never": settle(5, 12, lambda at: (False, at)),
}))
