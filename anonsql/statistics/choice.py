def hide(relations, primary, cost, *, alone=None):
    hidden = primary.copy()
    m = relations.matrix
    changed = True
    while changed:
        changed = False
        for r in range(m.shape[0]):
            cols = m.indices[m.indptr[r] : m.indptr[r + 1]]
            if hidden[cols].sum() == 1:
                free = [c for c in cols if not hidden[c]]
                if free:
                    hidden[min(free, key=lambda c: cost[c])] = True
                    changed = True
    return hidden


def more(relations, hidden, failing, cost):
    hidden = hidden.copy()
    m = relations.matrix.tocsc()
    r = relations.matrix
    for f in failing:
        seen = {int(f)}
        front = [int(f)]
        done = False
        while front and not done:
            nxt = []
            for c in front:
                for row in m.indices[m.indptr[c] : m.indptr[c + 1]]:
                    cols = r.indices[r.indptr[row] : r.indptr[row + 1]]
                    free = [x for x in cols if not hidden[x]]
                    if free:
                        hidden[min(free, key=lambda x: cost[x])] = True
                        done = True
                    for x in cols:
                        if hidden[x] and int(x) not in seen:
                            seen.add(int(x))
                            nxt.append(int(x))
            front = nxt
    return hidden
