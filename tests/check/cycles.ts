/** The first cycle of a graph, its first node repeated at the end; empty when there is none. Edges to unknown nodes lead nowhere. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();

  const search = (node: string, path: readonly string[]): string[] => {
    const start = path.indexOf(node);
    if (start >= 0) return [...path.slice(start), node];
    if (finished.has(node)) return [];
    for (const next of graph.get(node) ?? []) {
      const cycle = search(next, [...path, node]);
      if (cycle.length > 0) return cycle;
    }
    finished.add(node);
    return [];
  };

  for (const node of graph.keys()) {
    const cycle = search(node, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
