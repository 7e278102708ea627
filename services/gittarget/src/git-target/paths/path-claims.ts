import { createHash } from 'node:crypto'
import type { Clock } from '@agents/controller'
import { type Connection, checkWriteAccess, isGitError } from '@agents/git'
import type { GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { explainGitError } from '../../repository/explain-git-error.ts'
import type { ResolvedConnection } from '../../repository/resolve-connection.ts'
import { FairSlots } from './fair-slots.ts'

/** Result of the check whether the credentials may push; `unknown` if the server could not be reached. */
type Outcome = 'granted' | 'refused' | 'unknown'

interface Claim {
  readonly uid: string | undefined
  readonly repository: string
  readonly connection: string
  readonly outcome: Outcome
  readonly message: string
  readonly checkedAt: number
  /** When the server last granted access, also with earlier credentials. */
  readonly grantedAt: number | undefined
}

export interface Claimant {
  readonly target: GitTarget
  /** The canonical URL of the repository. */
  readonly repository: string
  /** Undefined if its provider does not exist. */
  readonly connect: (() => Promise<ResolvedConnection>) | undefined
}

interface PathClaimsOptions {
  /** Search path for `git` and `ssh`. */
  readonly path: string
  readonly clock: Clock
  /** Whether the mirror of a target, by `namespace/name`, has pushed since this process started. */
  readonly hasPushed: (key: string) => boolean
  /** Called with `namespace/name` of a target that gained or lost its claim. */
  readonly onChange: (key: string) => void
}

/** How long a grant is trusted, and how long credentials that are being replaced keep the path. */
const grantMs = 600_000
const retryMs = 20_000
const checkMs = 30_000
/** A rival's server may be slow on purpose. */
const rivalTimeoutMs = 15_000
/** After a restart, an owner whose server cannot be reached keeps its path for this long. */
const restartGraceMs = 120_000

/**
 * Decides which targets may claim a path: those whose credentials the server accepts for pushing. Otherwise every
 * user who may create a GitTarget could block the mirror of another namespace by naming its repository. Only targets
 * with overlapping paths are checked.
 */
export class PathClaims {
  readonly #options: PathClaimsOptions
  readonly #claims = new Map<string, Claim>()
  readonly #checking = new Map<string, Promise<void>>()
  readonly #reminders = new Map<string, () => void>()
  readonly #slots = new FairSlots({ total: 8, perGroup: 2 })
  readonly #stopped = new AbortController()
  #firstCheckAt: number | undefined

  constructor(options: PathClaimsOptions) {
    this.#options = options
  }

  /**
   * Checks targets with an unknown result. Waits for rivals once, for a limited time; later results are reported by
   * `onChange`.
   */
  async settle(self: Claimant, rivals: readonly Claimant[]): Promise<void> {
    const { clock } = this.#options
    this.#firstCheckAt ??= clock.elapsed()
    const checks = rivals.map(async (rival) => {
      const known = this.#known(rival)
      const checking = this.#refresh(rival)
      if (known === undefined) await checking
      else checking.catch(() => undefined)
    })
    let cancel = (): void => undefined
    const grace = new Promise<void>((resolve) => {
      cancel = clock.after(rivalTimeoutMs, resolve)
    })
    // A running check may have read credentials that were replaced since.
    const own = (this.#checking.get(formatKey(self.target.metadata)) ?? Promise.resolve()).then(
      () => this.#refresh(self),
    )
    await Promise.all([own, Promise.race([Promise.all(checks), grace])])
    cancel()
  }

  holds({ target, repository }: Pick<Claimant, 'target' | 'repository'>): boolean {
    const claim = this.#known({ target, repository })
    const key = formatKey(target.metadata)
    const { clock, hasPushed } = this.#options
    const now = clock.elapsed()
    const isRestart = now - (this.#firstCheckAt ?? now) < restartGraceMs
    // A target without a provider cannot be checked. It keeps its path only if it has pushed, or may have before a
    // restart.
    if (claim === undefined) return hasPushed(key) || (isRestart && !this.#checking.has(key))
    if (claim.outcome === 'granted') return true
    if (claim.outcome === 'refused') {
      return claim.grantedAt !== undefined && now - claim.grantedAt < grantMs
    }
    return claim.grantedAt !== undefined || hasPushed(key) || isRestart
  }

  /** Why the server does not allow the target to push. */
  refusal({ target, repository }: Pick<Claimant, 'target' | 'repository'>): string {
    return this.#known({ target, repository })?.message ?? 'the server has not responded yet'
  }

  /**
   * Calls `onChange` for this target when its grant expires, so that the targets that it blocks have it checked
   * again.
   */
  remind(key: string): void {
    if (this.#reminders.has(key)) return
    const { clock, onChange } = this.#options
    const cancel = clock.after(grantMs, () => {
      this.#reminders.delete(key)
      onChange(key)
    })
    this.#reminders.set(key, cancel)
  }

  forget(key: string): void {
    this.#claims.delete(key)
  }

  stop(): void {
    this.#stopped.abort()
    for (const cancel of this.#reminders.values()) cancel()
    this.#reminders.clear()
  }

  #known({ target, repository }: Pick<Claimant, 'target' | 'repository'>): Claim | undefined {
    const claim = this.#claims.get(formatKey(target.metadata))
    const isSame = claim?.uid === target.metadata.uid && claim?.repository === repository
    return isSame ? claim : undefined
  }

  #refresh(claimant: Claimant): Promise<void> {
    const key = formatKey(claimant.target.metadata)
    const running = this.#checking.get(key)
    if (running !== undefined) return running
    if (claimant.connect === undefined) return Promise.resolve()
    const checking = this.#check(key, claimant, claimant.connect).finally(() =>
      this.#checking.delete(key),
    )
    this.#checking.set(key, checking)
    return checking
  }

  async #check(
    key: string,
    claimant: Claimant,
    connect: () => Promise<ResolvedConnection>,
  ): Promise<void> {
    const { clock, onChange } = this.#options
    const { target, repository } = claimant
    const resolved = await connect()
    const connection = createHash('sha256').update(JSON.stringify(resolved)).digest('hex')
    const before = this.#known(claimant)
    const age = clock.elapsed() - (before?.checkedAt ?? 0)
    const lasts = before?.outcome === 'granted' ? grantMs : retryMs
    if (before?.connection === connection && age < lasts) return
    const held = before === undefined ? undefined : this.holds(claimant)
    const { outcome, message } = resolved.ok
      ? await this.#slots.run(target.metadata.namespace ?? '', () => this.#ask(resolved.connection))
      : { outcome: 'refused' as const, message: resolved.message }
    const checkedAt = clock.elapsed()
    const grantedAt = outcome === 'granted' ? checkedAt : before?.grantedAt
    const uid = target.metadata.uid
    this.#claims.set(key, {
      ...{ uid, repository, connection, outcome, message, checkedAt, grantedAt },
    })
    if (held !== this.holds(claimant)) onChange(key)
  }

  async #ask(connection: Connection): Promise<{ outcome: Outcome; message: string }> {
    try {
      const { signal } = this.#stopped
      await checkWriteAccess(connection, { path: this.#options.path, signal, timeoutMs: checkMs })
      return { outcome: 'granted', message: '' }
    } catch (error) {
      if (!isGitError(error)) throw error
      const outcome = refusals.has(error.code) ? 'refused' : 'unknown'
      return { outcome, message: explainGitError(error) }
    }
  }
}

const refusals = new Set(['auth', 'not-found', 'host-key', 'certificate', 'refused'])
