/** More label values than this would be too expensive for the monitoring system. */
const mostPriorities = 25

/** Label values for priorities: the first ones by number, all others by one name. */
export function priorityLabel(): (priority: number) => string {
  const known = new Set<number>()
  return (priority) => {
    if (!known.has(priority) && known.size >= mostPriorities) return 'exceeded_cardinality_limit'
    known.add(priority)
    return String(priority)
  }
}
