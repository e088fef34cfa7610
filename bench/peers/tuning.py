"""
The choice of a setting: the cheapest one that reaches a recall. Recall and cost rise with both numbers of a setting, so
only settings at the border of those that reach it are tried.
"""

# A direction is given up when WORSE_IN_A_ROW settings in a row cost more than WORSE times the cheapest one.
WORSE = 1.25
WORSE_IN_A_ROW = 3
# Where among the depths the search begins. The deepest are dear and seldom needed.
BEGIN = 0.45


def border(efforts, depths, judge, near=None):
    """
    The settings at the border, cheapest first, as (cost, effort's index, depth's index).

    judge(effort's index, depth's index) returns (reached, cost), or None if the setting takes too long. For a single
    ladder, `depths` has one entry. `near` is a depth's index near which the cheapest setting is expected; without it, all
    depths are tried until one reaches the recall.
    """
    known = {}

    def judged(effort, depth):
        if (effort, depth) not in known:
            known[effort, depth] = judge(effort, depth)
        return known[effort, depth]

    found = []

    def add(effort, depth):
        """Adds a setting. Returns whether it is no worse than WORSE times the cheapest."""
        cost = judged(effort, depth)[1]
        found.append((cost, effort, depth))
        return cost <= WORSE * min(found)[0]

    first = round(BEGIN * (len(depths) - 1))
    # A depth that is too shallow reaches the recall at no effort; one that is too deep takes too long.
    starts = [*range(first, len(depths)), *reversed(range(first))]
    if near is not None:
        starts = [at for at in (near, near + 2, near - 2) if 0 <= at < len(depths)]
    for start in starts:
        effort = least(len(efforts), lambda at: judged(at, start))
        if effort is not None:
            break
    else:
        return []
    add(effort, start)
    worse, at = 0, effort
    for depth in reversed(range(start)):
        while at < len(efforts) and judged(at, depth) is not None and not judged(at, depth)[0]:
            at += 1
        if at == len(efforts) or judged(at, depth) is None:
            break
        worse = 0 if add(at, depth) else worse + 1
        if worse == WORSE_IN_A_ROW:
            break
    worse, at = 0, effort
    for depth in range(start + 1, len(depths)):
        if judged(at, depth) is None:
            break
        while at > 0 and judged(at - 1, depth) is not None and judged(at - 1, depth)[0]:
            at -= 1
        # A sample may reach the recall at one depth and miss it at a deeper one.
        if judged(at, depth)[0]:
            worse = 0 if add(at, depth) else worse + 1
        if worse == WORSE_IN_A_ROW:
            break
    return sorted(found)


def least(count, judge):
    """The least index from 0 that reaches the recall, by bisection; None if none does in time."""
    low, high, found = 0, count - 1, None
    while low <= high:
        middle = (low + high) // 2
        result = judge(middle)
        if result is None:
            high = middle - 1
        elif result[0]:
            found, high = middle, middle - 1
        else:
            low = middle + 1
    return found


def settle(start, count, judge, most_steps=10):
    """
    The least index near `start` that reaches the recall, by single steps; None if none does. `judge` as for `least`.
    """
    result = judge(start)
    if result is None:
        return None
    step = -1 if result[0] else 1
    found = start if result[0] else None
    at = start
    for _ in range(most_steps):
        at += step
        if not 0 <= at < count:
            break
        result = judge(at)
        if result is None or (step < 0 and not result[0]):
            break
        if result[0]:
            found = at
            if step > 0:
                break
    return found
