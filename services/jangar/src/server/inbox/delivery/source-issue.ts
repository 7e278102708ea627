/** An issue as a tracker has it, from a delivery or from its API: both give the same. */
export interface SourceIssue {
  /** `owner/name#12`, or `ENG-12` of Linear. */
  readonly externalId: string
  /** Identifiers that it had before, in other teams. */
  readonly formerIds?: readonly string[] | undefined
  /** `owner/name`; undefined if the tracker has no repositories. */
  readonly repository?: string | undefined
  readonly team?: string | undefined
  readonly project?: string | undefined
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  readonly url: string
  readonly state: 'open' | 'closed'
  /** When it was changed, in whole seconds: `2026-11-17T08:00:00Z`. Later texts are greater. */
  readonly version: string
}

/** What somebody did to an issue, as far as triggers are about it. */
export interface IssueActions {
  readonly opened?: Opening | undefined
  readonly labelled?: Labelling | undefined
  readonly assigned?: Assignment | undefined
}

/** Somebody has written an issue. It happens once, so that the issue identifies it. */
export interface Opening {
  /** Name of the user in the service. */
  readonly actor: string
  readonly actorId: number | undefined
}

/** Somebody has assigned an issue. */
export interface Assignment extends Opening {
  /** Names of the users whom it was assigned to. If the service does not say which, all that the issue has. */
  readonly assignees: readonly string[]
  /** Identifies the event. Undefined if the delivery as a whole does. */
  readonly key?: string | undefined
}

/** Somebody has set labels of an issue. */
export interface Labelling extends Opening {
  /** The labels that were added. Undefined if the service does not say which: then it may be any of the issue. */
  readonly added: readonly string[] | undefined
  /** Identifies the event. Undefined if the delivery as a whole does. */
  readonly key?: string | undefined
}

/** The time in the form of versions. Undefined if it is not a time. */
export function versionOf(time: string | undefined): string | undefined {
  const ms = Date.parse(time ?? '')
  // Senders write fractions in one place and none in another.
  return Number.isNaN(ms) ? undefined : `${new Date(ms).toISOString().slice(0, 19)}Z`
}
