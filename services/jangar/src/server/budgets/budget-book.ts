import type { Clock, Enqueue, ResourceCache, Source, Subscription } from '@agents/controller'
import type { Agent, AgentRun, Budget, Tool, ToolRun } from '@agents/jangar-api'
import { formatKey, type Job, type KubeObject, parseKey } from '@agents/kube'
import { policyPass } from '../admission/admission-policies.ts'
import { stopMessage } from '../kubernetes/budget-stop.ts'
import { deletedCountsMs } from '../kubernetes/recently-deleted.ts'
import { BudgetEntry } from './budget-entry.ts'
import {
  type BudgetVerdict,
  idOf,
  isStopping,
  type NamespaceBook,
  parseId,
  verdictOf,
} from './namespace-book.ts'
import { type PastAnswers, questionOf, takeAnswers } from './past-account.ts'
import { isActiveRun, nothingUsed, type Work, type WorkKind } from './work.ts'

export interface BudgetCaches {
  readonly budgets: ResourceCache<Budget>
  readonly agentRuns: ResourceCache<AgentRun>
  readonly toolRuns: ResourceCache<ToolRun>
  readonly agents: ResourceCache<Agent>
  readonly tools: ResourceCache<Tool>
  readonly jobs: ResourceCache<Job>
}

interface BookOptions {
  readonly caches: BudgetCaches
  readonly agentRunWork: (run: AgentRun, agent: Agent | undefined, isActive: boolean) => Work
  readonly toolRunWork: (run: ToolRun, tool: Tool | undefined, isActive: boolean) => Work
  readonly clock: Clock
  /** Whether the usage of runs that are deleted comes from a ledger. */
  readonly hasLedger?: boolean
}

/**
 * Counts what runs use, reserve and request against Budgets. All sums are derived from the runs that the caches hold;
 * only runs that were let through and are not shown as admitted yet are kept in memory. A process that starts again
 * finds those by their Jobs: a run without one has not started.
 */
export class BudgetBook {
  readonly #options: BookOptions
  readonly #books = new Map<string, NamespaceBook>()
  readonly #enqueues = new Map<WorkKind | 'Budget', Enqueue>()
  /** AgentRuns that name a Budget which does not exist. */
  readonly #lacking = new Set<string>()
  #subscriptions: readonly Subscription[] = []
  #askForPast: (() => void) | undefined
  #isLedgerRead = false

  constructor(options: BookOptions) {
    this.#options = options
  }

  /** Requeues the objects of a kind whose state depends on Budgets. Observes the caches once one of them is started. */
  sourceOf(kind: WorkKind | 'Budget'): Source {
    return {
      name: 'budgets',
      start: (enqueue) => {
        this.#enqueues.set(kind, enqueue)
        if (this.#subscriptions.length === 0) this.#subscriptions = this.#subscribe()
        return {
          hasSynced: () => this.#subscriptions.every((one) => one.hasSynced()),
          remove: () => {
            this.#enqueues.delete(kind)
            if (this.#enqueues.size > 0) return
            for (const one of this.#subscriptions) one.remove()
            this.#subscriptions = []
            this.#books.clear()
          },
        }
      },
    }
  }

  /** Whether all Budgets of the run let it start. If they do, what it needs is held for it until it ends. */
  admitAgentRun(run: AgentRun): BudgetVerdict {
    const named = run.spec.policy?.budgetRef?.name
    const book = this.#bookOf(run.metadata.namespace)
    if (named !== undefined && !book?.entries.has(named)) {
      this.#lacking.add(formatKey(run.metadata))
      const message = `Budget ${named}, which the run refers to, does not exist; the run continues when it is created`
      return { kind: 'wait', reason: 'BudgetUnavailable', message }
    }
    return book === undefined ? policyPass : this.#admit(book, this.#agentRunWork(run))
  }

  admitToolRun(run: ToolRun): BudgetVerdict {
    const book = this.#bookOf(run.metadata.namespace)
    return book === undefined ? policyPass : this.#admit(book, this.#toolRunWork(run))
  }

  /** Why an active run has to stop: a Budget with onExceeded Stop has been passed. */
  stopOf(kind: WorkKind, { metadata }: KubeObject): string | undefined {
    const book = this.#bookOf(metadata.namespace)
    if (book === undefined) return undefined
    const id = idOf(kind, formatKey(metadata))
    for (const entry of book.entries.values()) {
      if (isStopping(entry) && entry.counts(id)) return stopMessage(entry.budget.metadata.name)
    }
    return undefined
  }

  /** The account of a Budget. Undefined if the cache does not have it. */
  entryOf({ metadata }: Budget): BudgetEntry | undefined {
    return this.#bookOf(metadata.namespace)?.entries.get(metadata.name)
  }

  /** Where usage comes from, for the status of Budgets. */
  get source(): string {
    if (!this.#options.hasLedger) return 'the runs that the cluster holds'
    return this.#isLedgerRead
      ? 'the runs that the cluster holds, and the ledger for those that are deleted'
      : 'the runs that the cluster holds; the ledger cannot be read'
  }

  /** Whether the ledger was not asked yet. */
  isUnread({ isPastKnown }: BudgetEntry): boolean {
    return this.#options.hasLedger === true && !isPastKnown
  }

  workOf(run: AgentRun): Work {
    return this.#agentRunWork(run)
  }

  /** Calls back when a Budget needs what the ledger has of its window. */
  onUnread(ask: () => void): void {
    this.#askForPast = ask
  }

  /** What the ledger has to be asked: the usage of all runs but those that are counted here. */
  *pastQuestions() {
    for (const [namespace, book] of this.#books) yield { namespace, ...questionOf(book) }
  }

  /** Runs that are in the answers are no longer counted here. */
  setPast(namespace: string, answers: PastAnswers): void {
    this.#isLedgerRead = true
    const book = this.#books.get(namespace)
    if (book === undefined) return
    for (const entry of takeAnswers(book, answers)) this.#settle(book, entry)
  }

  /** The ledger cannot be read: what was read before still counts. */
  setPastUnknown(): void {
    this.#isLedgerRead = false
    for (const book of this.#books.values()) {
      for (const entry of book.entries.values()) {
        if (!entry.isPastKnown) entry.setPast(nothingUsed)
        this.#settle(book, entry)
      }
    }
  }

  /** All accounts, for metrics. */
  *entries(): Iterable<BudgetEntry> {
    for (const { entries } of this.#books.values()) yield* entries.values()
  }

  /** The runs that a Budget covers: those that are active, and those that ended in its window. */
  coveredRuns(entry: BudgetEntry): readonly Work[] {
    const book = this.#books.get(entry.budget.metadata.namespace ?? '')
    return [...(book?.works.values() ?? [])].filter((work) => entry.covers(work))
  }

  #admit(book: NamespaceBook, work: Work): BudgetVerdict {
    const id = idOf(work.kind, work.key)
    const entries = [...book.entries.values()].filter((entry) => entry.concerns(work))
    const verdict = this.#unread(entries) ?? verdictOf(entries, id, work)
    if (verdict.kind !== 'pass') {
      book.held.delete(id)
      book.waiting.set(id, work)
      this.#put(book, id, work)
      return verdict
    }
    book.waiting.delete(id)
    if (entries.length === 0) return verdict
    book.held.add(id)
    this.#put(book, id, { ...work, isActive: true })
    return verdict
  }

  /** The limits of a Budget are not known to hold until the ledger is read, or cannot be. */
  #unread(entries: readonly BudgetEntry[]): BudgetVerdict | undefined {
    const unread = entries.find((entry) => this.isUnread(entry))
    if (unread === undefined) return undefined
    this.#askForPast?.()
    const message = `Budget ${unread.budget.metadata.name} is being read from the ledger`
    return { kind: 'wait', reason: 'BudgetUnavailable', message }
  }

  /** The book of a namespace, made when its first Budget is needed, with new windows where old ones have ended. */
  #bookOf(namespace: string | undefined): NamespaceBook | undefined {
    if (namespace === undefined) return undefined
    const book = this.#books.get(namespace) ?? this.#open(namespace)
    if (book === undefined) return undefined
    const now = this.#now()
    for (const entry of book.entries.values()) if (entry.turn(now)) this.#recount(book, entry)
    return book
  }

  #open(namespace: string): NamespaceBook | undefined {
    const { caches } = this.#options
    const budgets = caches.budgets.list(namespace)
    if (budgets.length === 0) return undefined
    const works = [
      ...caches.agentRuns.list(namespace).map((run) => this.#agentRunWork(run)),
      ...caches.toolRuns.list(namespace).map((run) => this.#toolRunWork(run)),
    ]
    const book: NamespaceBook = {
      entries: new Map(),
      works: new Map(works.map((work) => [idOf(work.kind, work.key), work])),
      held: new Set(),
      gone: new Map(),
      waiting: new Map(),
    }
    for (const budget of budgets) this.#enter(book, budget)
    this.#books.set(namespace, book)
    return book
  }

  #enter(book: NamespaceBook, budget: Budget): void {
    const entry = new BudgetEntry(budget, this.#now())
    book.entries.set(budget.metadata.name, entry)
    this.#recount(book, entry)
  }

  #recount(book: NamespaceBook, entry: BudgetEntry): void {
    for (const [id, work] of book.works) entry.set(id, work)
    if (!entry.isPastKnown) this.#askForPast?.()
    this.#settle(book, entry)
  }

  /** Lets everybody know that the sums of a Budget have changed. */
  #settle(book: NamespaceBook, entry: BudgetEntry): void {
    this.#tell(entry)
    this.#wake(book)
    if (isStopping(entry)) this.#stopAll(entry)
  }

  #subscribe(): readonly Subscription[] {
    const { budgets, agentRuns, toolRuns } = this.#options.caches
    const observe = <Run extends KubeObject>(
      cache: ResourceCache<Run>,
      kind: WorkKind,
      workOf: (run: Run) => Work,
    ): Subscription =>
      cache.subscribe({
        onAdd: (run) => this.#observe(kind, run, workOf),
        onUpdate: (_before, run) => this.#observe(kind, run, workOf),
        onDelete: ({ metadata }) => this.#forget(idOf(kind, formatKey(metadata))),
      })
    return [
      budgets.subscribe({
        onAdd: (budget) => {
          this.#observeBudget(budget)
          for (const key of this.#lacking) this.#enqueues.get('AgentRun')?.(key)
          this.#lacking.clear()
        },
        // A budget whose generation stays the same has a status that is written here: it is not entered again.
        onUpdate: (_before, budget) => this.#observeBudget(budget),
        onDelete: ({ metadata }) => this.#forgetLater(metadata),
      }),
      observe(agentRuns, 'AgentRun', (run) => this.#agentRunWork(run)),
      observe(toolRuns, 'ToolRun', (run) => this.#toolRunWork(run)),
    ]
  }

  #observeBudget(budget: Budget): void {
    const { namespace = '', name, uid, generation } = budget.metadata
    const book = this.#books.get(namespace)
    if (book === undefined) return
    const known = book.entries.get(name)?.budget.metadata
    if (known?.uid !== uid || known?.generation !== generation) this.#enter(book, budget)
  }

  /** A Budget that is being replaced still counts: the runs that it lets wait would start otherwise. */
  #forgetLater({ namespace = '', name, uid }: KubeObject['metadata']): void {
    this.#options.clock.after(deletedCountsMs, () => {
      const known = this.#books.get(namespace)?.entries.get(name)
      if (known?.budget.metadata.uid === uid) this.#forgetBudget(namespace, name)
    })
  }

  #forgetBudget(namespace: string, name: string): void {
    const book = this.#books.get(namespace)
    if (!book?.entries.delete(name)) return
    this.#wake(book)
    if (book.entries.size === 0) this.#books.delete(namespace)
  }

  #observe<Run extends KubeObject>(kind: WorkKind, run: Run, workOf: (run: Run) => Work): void {
    const book = this.#books.get(run.metadata.namespace ?? '')
    if (book === undefined) return
    const id = idOf(kind, formatKey(run.metadata))
    const work = workOf(run)
    const isOther = book.works.get(id)?.uid !== work.uid
    // An older state than the one that was let through: it keeps what is held for it.
    const isHeld = book.held.has(id) && !isOther && !work.isFinished && !work.isBlocked
    if (!isHeld || work.isActive) book.held.delete(id)
    if (work.isFinished || work.isActive) book.waiting.delete(id)
    this.#put(book, id, isHeld ? { ...work, isActive: true } : work)
  }

  #forget(id: string): void {
    const { key } = parseId(id)
    const book = this.#books.get(parseKey(key).namespace ?? '')
    if (book === undefined) return
    const deleted = book.works.get(id)
    book.works.delete(id)
    book.held.delete(id)
    book.waiting.delete(id)
    if (this.#options.hasLedger && deleted !== undefined && deleted.used.tokens > 0) {
      this.#keep(book, deleted)
    }
    let freed = false
    for (const entry of book.entries.values()) {
      const isCounted = entry.counts(id)
      freed = entry.remove(id) || freed
      if (isCounted) this.#tell(entry)
    }
    if (freed) this.#wake(book)
  }

  /** Until the ledger has it. */
  #keep(book: NamespaceBook, work: Work): void {
    const id = `deleted ${work.uid}`
    const usedAt = work.usedAt ?? this.#now()
    book.gone.set(work.uid, id)
    this.#put(book, id, { ...work, isActive: false, isFinished: true, usedAt })
  }

  #put(book: NamespaceBook, id: string, work: Work): void {
    book.works.set(id, work)
    let freed = false
    for (const entry of book.entries.values()) {
      const wasStopping = isStopping(entry)
      const wasCounted = entry.counts(id)
      const wasActive = entry.remove(id)
      entry.set(id, work)
      if (wasCounted || entry.counts(id)) this.#tell(entry)
      freed ||= wasActive && !work.isActive
      if (!wasStopping && isStopping(entry)) this.#stopAll(entry)
    }
    if (freed) this.#wake(book)
  }

  /** The status of the Budget is written at most once a second, however many runs change. */
  #tell({ budget }: BudgetEntry): void {
    this.#enqueues.get('Budget')?.(formatKey(budget.metadata), { afterMs: statusDelayMs })
  }

  #wake(book: NamespaceBook): void {
    let left = mostWoken
    for (const [id, work] of book.waiting) {
      if (left === 0) return
      left -= 1
      // Back to the end: runs that cannot use what is free must not keep others from being asked.
      book.waiting.delete(id)
      this.#enqueues.get(work.kind)?.(work.key)
    }
  }

  #stopAll(entry: BudgetEntry): void {
    // At once: the trees above these runs have to stop too.
    this.#enqueues.get('Budget')?.(formatKey(entry.budget.metadata), { priority: stopPriority })
    for (const { kind, key } of entry.activeKeys.map(parseId)) {
      this.#enqueues.get(kind)?.(key, { priority: stopPriority })
    }
  }

  #agentRunWork(run: AgentRun): Work {
    const { caches } = this.#options
    const { namespace } = run.metadata
    const agent = caches.agents.get(formatKey({ namespace, name: run.spec.agentRef.name }))
    return this.#options.agentRunWork(run, agent, isActiveRun(run, caches.jobs))
  }

  #toolRunWork(run: ToolRun): Work {
    const { namespace } = run.metadata
    const name = run.spec?.toolRef?.name ?? ''
    const { caches } = this.#options
    const tool = caches.tools.get(formatKey({ namespace, name }))
    return this.#options.toolRunWork(run, tool, isActiveRun(run, caches.jobs))
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}

const statusDelayMs = 1000

/** Enough to use what one run frees. The others are asked again when more becomes free, or after a minute. */
const mostWoken = 32

/** Before ordinary changes: each second costs. */
const stopPriority = 10
