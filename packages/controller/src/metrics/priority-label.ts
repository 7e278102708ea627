/** More values than this would cost the monitoring system more than they tell. */
const mostPriorities = 25

/** Names priorities as label values; the first ones by number, all others by one name. */
export function priorityLabel(): (priority: number) => string {
  const known = new Set<number>()
  return (priority) => {
    if (!known.has(priority) && known.size >= mostPriorities) return 'exceeded_cardinality_limit'
    known.add(priority)
    return String(priority)
  }
}
