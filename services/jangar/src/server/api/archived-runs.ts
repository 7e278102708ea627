import type { KindRef } from '@agents/kube'
import type { RunPosition } from './run-position.ts'
import type { AnyRun } from './run-summary.ts'

/** What runs of a kind the caller may list: in all namespaces, or in these. */
export interface VisibleKind {
  readonly kind: KindRef
  readonly namespaces: 'all' | readonly string[]
}

export interface RunFilter {
  readonly phase: string | undefined
  readonly agent: string | undefined
  readonly orchestration: string | undefined
  /** As `repositoryKey` returns it. */
  readonly repository: string | undefined
  /** `key=value`, or a key that must exist. */
  readonly labels: readonly string[]
  /** Words that all must occur. */
  readonly words: readonly string[]
  /** Created then or later. */
  readonly since: string | undefined
  /** Created before. */
  readonly until: string | undefined
}

interface ArchiveQuestion extends RunFilter {
  /** Nothing else is ever looked at. */
  readonly visible: readonly VisibleKind[]
  readonly after: RunPosition | undefined
  readonly limit: number
  /** Runs that are not wanted. */
  readonly except: readonly string[]
}

export interface ArchivedSummary {
  readonly position: RunPosition
  /** The JSON of a `RunSummary`. It is not parsed: a page may have thousands. */
  readonly summary: string
}

interface ArchivedName {
  readonly kind: KindRef
  readonly namespace: string
  readonly name: string
  readonly uid: string | undefined
}

export interface RunPlace {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

export interface ExportQuestion {
  readonly kinds: readonly string[]
  /** If undefined, all. */
  readonly namespace: string | undefined
  /** Created then or later. */
  readonly since: string | undefined
  /** Created before. */
  readonly until: string | undefined
}

/** A run of another archive. */
export interface ImportedRun {
  /** The number of its line. */
  readonly line: number
  readonly run: AnyRun
}

export interface Imported {
  readonly imported: number
  /** Runs that were archived before. */
  readonly known: number
}

/** What usage is summed up by: a label is named. */
export type UsageGroup = 'agent' | 'namespace' | 'model' | 'day' | { readonly label: string }

export interface UsageQuestion {
  /** If undefined, all. */
  readonly namespace: string | undefined
  /** Used then or later. */
  readonly since: string | undefined
  /** Used before. */
  readonly until: string | undefined
  /** If undefined, all; if empty, those that are not known. */
  readonly model: string | undefined
  readonly by: UsageGroup
  readonly limit: number
}

export interface UsageSum {
  /** The agent, namespace, model, day in UTC or value of the label. Empty for runs that have none. */
  readonly group: string
  /** A run that used several models is one of each. */
  readonly runs: number
  readonly tokens: number
  /** US dollars as a decimal number, of the tokens whose price is known. */
  readonly dollars: string
  /** Tokens whose price is not known. */
  readonly unpricedTokens: number
}

/** The archive of finished runs. Its methods throw if it does not answer. */
export interface ArchivedRuns {
  /** At most `limit`, newest first. */
  list(question: ArchiveQuestion): Promise<readonly ArchivedSummary[]>
  /** The namespaces that have runs. */
  namespaces(): Promise<readonly string[]>
  /** The newest run of the name. */
  find(name: ArchivedName): Promise<AnyRun | undefined>
  /** Where the run of the uid is, whoever asks. */
  locate(uid: string): Promise<RunPlace | undefined>
  /** What runs have used, those that work and those that are deleted included; the most first. */
  usage(question: UsageQuestion): Promise<readonly UsageSum[]>
  /** Objects of runs as lines of JSON, from the oldest to the newest. */
  export(question: ExportQuestion): AsyncIterable<string>
  /** Adds all of the runs or none. Those that it has already are left as they are. */
  import(runs: readonly ImportedRun[]): Promise<Imported>
}
