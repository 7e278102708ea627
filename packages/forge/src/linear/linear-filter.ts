/** Which issues of a workspace are listed. An omitted field does not restrict. */
export interface LinearQuery {
  /** Key of the team. */
  readonly team?: string | undefined
  /** Name of the project. */
  readonly project?: string | undefined
  /** An issue must have each of these labels. */
  readonly labels?: readonly string[] | undefined
}

/** Workflow states of these types are the end of an issue. */
export const closedStates: readonly string[] = ['completed', 'canceled', 'duplicate']

/** The open issues of the query, as Linear filters them. Names are compared without regard to case. */
export function openFilter({ team, project, labels = [] }: LinearQuery) {
  return {
    state: { type: { nin: [...closedStates] } },
    ...(team !== undefined && { team: { key: { eqIgnoreCase: team } } }),
    ...(project !== undefined && { project: { name: { eqIgnoreCase: project } } }),
    ...(labels.length > 0 && {
      and: labels.map((label) => ({ labels: { some: { name: { eqIgnoreCase: label } } } })),
    }),
  }
}

/** Whatever changed, wherever it is now: what left the scope is among it. */
export function changedFilter(since: Date) {
  return { updatedAt: { gte: since.toISOString() } }
}
