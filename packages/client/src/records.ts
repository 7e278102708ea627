/** What lists say of a run. */
export interface RunSummary {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Absent until a controller has seen the run. */
  readonly phase?: string
  /** The Agent, Orchestration or Tool that runs. */
  readonly of?: string
  /** The reason and message of the condition `Succeeded`. */
  readonly reason?: string
  readonly message?: string
  readonly createdAt: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly labels?: Readonly<Record<string, string>>
  /** Present if the run is no longer in the cluster. */
  readonly archived?: true
}

export interface RunFilter {
  readonly namespace?: string | undefined
  readonly kind?: string | undefined
  readonly phase?: string | undefined
  readonly agent?: string | undefined
  /** That the runs work in, as owner/name. */
  readonly repository?: string | undefined
  /** `key=value`, or a key that must exist. */
  readonly label?: readonly string[] | undefined
  /** Words that all occur in the run. */
  readonly text?: string | undefined
  /** Times of creation in RFC 3339: at the first or later, and before the second. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** `cluster` or `archive`. If omitted, both. */
  readonly source?: string | undefined
}

export interface RunPage {
  readonly items: readonly RunSummary[]
  /** The cursor of the next page. Absent on the last one. */
  readonly next?: string
  /** Present if the archive does not answer: its runs are missing. */
  readonly archive?: 'unavailable'
}

export interface RunKey {
  readonly kind?: string | undefined
  readonly namespace: string
  readonly name: string
  /** The one of several runs that had the name. */
  readonly uid?: string | undefined
}

export interface RunRequest {
  readonly kind?: string
  readonly namespace: string
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec: object
}

/** An object of the cluster. Only what all kinds have is typed: the API passes objects on as they are. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly generation?: number
    readonly resourceVersion?: string
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly {
      readonly apiVersion?: string
      readonly kind: string
      readonly name: string
      readonly uid?: string
      readonly controller?: boolean
    }[]
  }
  readonly spec?: unknown
  readonly status?: unknown
}

export interface FoundRun {
  readonly run: RunSummary
  readonly resource: ApiObject
}

export interface KindRecord {
  /** `agents.agents.proompteng.ai` */
  readonly name: string
  readonly kind: string
  readonly group: string
  readonly version: string
  readonly plural: string
}

/** A change that `/v1/events` reports. */
export interface RunChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly run: RunSummary
}

/** A change of another object that `/v1/events` reports. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: {
    /** `agents.agents.proompteng.ai` */
    readonly kind: string
    readonly namespace: string
    readonly name: string
    readonly uid?: string
  }
}

export interface SessionRecord {
  readonly user: { readonly username: string; readonly groups: readonly string[] }
  /** Absent if requests have a token. */
  readonly session?: { readonly expiresAt: string }
}

/** How browsers can sign in. */
export interface SignIns {
  /** Whether with a code of `agentctl console`. */
  readonly code: boolean
  readonly openIdConnect?: { readonly issuer: string }
}

/** What somebody does to objects of a kind, as RBAC names it. */
export interface Act {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

export interface Access {
  readonly allowed: boolean
  /** The right that is missing, in words. */
  readonly missing?: string
}

/** An event of an object. */
export interface EventRecord {
  readonly uid: string
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly lastAt: string
  readonly from?: string
}

/** An object that refers to another one. */
export interface Referrer {
  /** Absent for objects of the cluster. */
  readonly namespace?: string
  readonly name: string
  readonly uid: string
  readonly createdAt?: string
  readonly phase?: string
  /** By which it refers to it, such as `spec.agentRef`. */
  readonly fields: readonly string[]
}

/** The objects of a kind that refer to another one. */
export interface ReferrersOfKind {
  /** `agentruns.agents.proompteng.ai` */
  readonly kind: string
  /** `denied` if the caller may not list them. */
  readonly access: 'listed' | 'denied'
  readonly count: number
  /** Whether all objects of the kind were examined. */
  readonly isComplete: boolean
  /** The newest of them. */
  readonly items: readonly Referrer[]
}

export interface AuditFilter {
  readonly namespace?: string | undefined
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly outcome?: string | undefined
}

/** What a caller of the API did. */
export interface AuditEntry {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly namespace?: string | null
  readonly name?: string | null
  readonly outcome: string
  readonly code: number
  readonly request: string
}

export interface AuditPage {
  readonly items: readonly AuditEntry[]
  /** The `before` of the next page. Absent on the last one. */
  readonly next?: number
}

/** Whether the audit is whole. */
export interface AuditVerdict {
  readonly ok: boolean
  readonly entries: number
  readonly head: { readonly seq: number; readonly hash: string }
  readonly entry?: number
  readonly problem?: string
}

export interface DeliveryFilter {
  readonly namespace?: string | undefined
  /** The name of the ImplementationSource. */
  readonly source?: string | undefined
  readonly state?: string | undefined
}

/** A delivery of an issue tracker, without its content. */
export interface Delivery {
  readonly id: string
  readonly namespace: string
  /** The name of the ImplementationSource. */
  readonly source: string
  readonly provider: string
  readonly event: string
  /** The identifier that the sender gave it. */
  readonly deliveryId?: string
  /** The issue or pull request. */
  readonly subject: string
  readonly sizeBytes: number
  readonly state: string
  readonly attempts: number
  /** Why it is dead, why it waits, or why it started nothing. */
  readonly reason?: string
  readonly receivedAt: string
  readonly processedAt?: string
  readonly nextAttemptAt?: string
}

export interface DeliveryPage {
  readonly items: readonly Delivery[]
  /** The `before` of the next page. Absent on the last one. */
  readonly next?: string
}

/** The result of a check of the platform. */
export interface Finding {
  readonly about: string
  readonly verdict: 'good' | 'doubtful' | 'bad'
  readonly says: string
  /** What to do about it. */
  readonly advice?: readonly string[]
}

/** The unfinished runs of a kind in a namespace. */
export interface RunQueue {
  readonly kind: string
  readonly namespace: string
  readonly waiting: number
  readonly running: number
  /** Those whose last change no controller has reconciled yet. */
  readonly unreconciled: number
}

/** The answer of a probe: a line for each check. */
export interface Health {
  readonly ok: boolean
  readonly checks: readonly { readonly name: string; readonly ok: boolean }[]
}
