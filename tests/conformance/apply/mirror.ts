import { ApiError, createFieldManager, type FieldManager } from '@agents/apiserver'
import type { Json } from '@agents/crd'
import type { KubeObject, ManagedFieldsEntry } from '@agents/kube'
import { keepUnchangedTimestamps } from '../../../packages/apiserver/src/metadata/managed-fields-times.ts'
import type { Answer, ApiClient, Cause } from './api-client.ts'
import { apiVersionOf, type Body, objectOf, type Step, stepRequest } from './step.ts'
import type { Subject } from './subject.ts'

/** The answer of the real server and the result of the field manager for the same request. */
export interface Comparison {
  readonly real: Outcome
  readonly ours: Outcome
}

interface Outcome {
  readonly managedFields?: ManagedFieldsEntry[] | undefined
  readonly data?: Json
  readonly error?: { readonly code: number; readonly message: string; readonly causes: Cause[] }
}

/** Sends steps to a real server and repeats each one locally on the same initial state. */
export class Mirror {
  readonly #client: ApiClient
  readonly #name: string
  readonly #manager: FieldManager
  readonly #versions: readonly Subject[]
  #subject: Subject
  #live: KubeObject | undefined

  /** `versions`: the same kind in other versions of its API. */
  constructor(
    client: ApiClient,
    subject: Subject,
    name: string,
    versions: readonly Subject[] = [],
  ) {
    this.#client = client
    this.#subject = subject
    this.#name = name
    this.#versions = [subject, ...versions]
    this.#manager = createFieldManager({
      otherVersion: (_resource, apiVersion) =>
        this.#versions.find((each) => apiVersionOf(each) === apiVersion),
    })
  }

  /** Directs further requests to this version, or makes them use this schema. */
  use(subject: Subject): void {
    this.#subject = subject
    if (this.#live !== undefined) this.#live = { ...this.#live, apiVersion: apiVersionOf(subject) }
  }

  get live(): KubeObject | undefined {
    return this.#live
  }

  /** Undefined if the real server rejected the request for reasons other than field management. */
  async step(step: Step): Promise<Comparison | undefined> {
    const answer = await this.#client.send(stepRequest(step, this.#subject, this.#name, this.#live))
    const failed = answer.code >= 400
    if (failed && (step.do !== 'apply' || ![400, 409, 500].includes(answer.code))) return undefined
    const live = this.#live
    if (!failed) this.#live = answer.body
    const ours = this.#repeat(step, live, answer)
    if (failed) {
      const { message = '', details } = answer.body
      return { real: { error: errorOf(answer.code, message, details?.causes) }, ours }
    }
    const { managedFields } = answer.body.metadata
    const real = { managedFields, data: dataOf(answer.body) }
    return {
      real,
      ours: { ...ours, managedFields: withTimesOf(ours.managedFields, managedFields) },
    }
  }

  async remove(): Promise<void> {
    await this.#client.send({ method: 'DELETE', path: `${this.#subject.path}/${this.#name}` })
    this.#live = undefined
  }

  #repeat(step: Step, live: KubeObject | undefined, answer: Answer): Outcome {
    const { resource, strategy, statusStrategy, allocated } = this.#subject
    const isStatus = 'status' in step && step.status === true
    const change = {
      resource,
      strategy: isStatus ? statusStrategy : strategy,
      subresource: isStatus ? 'status' : '',
      live,
      manager: step.manager,
      now: newest(answer.body.metadata?.managedFields),
    }
    if (step.do !== 'apply') {
      // The result of the request on the server, with the managedFields that the request had.
      const { managedFields: _managedFields, ...metadata } = answer.body.metadata
      const wished = step.do === 'managed' ? step.entries : undefined
      const requested =
        wished === undefined ? {} : { managedFields: wished as unknown as ManagedFieldsEntry[] }
      const next = { ...answer.body, metadata: { ...metadata, ...requested } }
      if (step.do !== 'merge' && isBody(next.spec)) {
        const sent = Object.entries(next.spec).filter(([key]) => !allocated.includes(key))
        next.spec = Object.fromEntries(sent)
      }
      const { metadata: ours } = this.#manager.onUpdate({ ...change, next })
      return { managedFields: ours.managedFields, data: dataOf(answer.body) }
    }
    try {
      const applied = objectOf(step.body, this.#subject, this.#name) as unknown as KubeObject
      const result = this.#manager.onApply({ ...change, applied, force: step.force === true })
      const defaulted = structuredClone(result)
      strategy.setDefaults(defaulted)
      if (!isStatus && strategy.resetFields?.length === 1) keepStatus(defaulted, live)
      // The last step of both servers: the field manager does not know which fields the strategy drops.
      if (live !== undefined) keepUnchangedTimestamps(defaulted, live)
      return { managedFields: defaulted.metadata.managedFields, data: dataOf(defaulted) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { error: errorOf(error.code, error.message, error.details?.causes) }
    }
  }
}

/**
 * The real server reads its clock once for the entry of earlier writes and once more for that of the first apply: a
 * second can begin between. Such an entry gets the time of the real server.
 */
function withTimesOf(
  ours: ManagedFieldsEntry[] | undefined,
  real: ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] | undefined {
  const now = newest(real).getTime()
  return ours?.map((entry, at) => {
    const time = real?.[at]?.time ?? ''
    const isSplit = Date.parse(entry.time ?? '') === now && Date.parse(time) === now - 1000
    return isSplit && entry.manager === 'before-first-apply' ? { ...entry, time } : entry
  })
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null
}

/** What the strategies of kinds with a status do on a write to the main resource. */
function keepStatus(object: KubeObject, live: KubeObject | undefined): void {
  if (live?.status === undefined) delete object.status
  else object.status = live.status
}

export function errorOf(
  code: number,
  message: string,
  causes: readonly Cause[] = [],
): NonNullable<Outcome['error']> {
  return {
    code,
    // Upstream lists the causes of several owners in no particular order.
    message: message.split('\n').toSorted().join('\n'),
    causes: causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  }
}

const systemFields = ['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'uid']

export function dataOf(object: KubeObject): Json {
  const metadata = Object.entries(object.metadata).filter(([key]) => !systemFields.includes(key))
  return { ...(object as unknown as Body), metadata: Object.fromEntries(metadata) as Body }
}

/** The server's clock at the time of the request, as far as the times of the entries depend on it. */
function newest(entries: readonly ManagedFieldsEntry[] | undefined): Date {
  return new Date(Math.max(0, ...(entries ?? []).map(({ time }) => Date.parse(time ?? '') || 0)))
}
