import { ApiFailure, failureOf } from './api-failure.ts'
import { readHealth } from './health.ts'
import { deliveryPath, objectPath, type QueryValue, queryText, runPath, segment } from './paths.ts'
import type {
  Access,
  Act,
  ApiObject,
  AuditFilter,
  AuditPage,
  AuditVerdict,
  Delivery,
  DeliveryFilter,
  DeliveryPage,
  EventRecord,
  Finding,
  FoundRun,
  Health,
  KindRecord,
  ReferrersOfKind,
  RunFilter,
  RunKey,
  RunPage,
  RunQueue,
  RunRequest,
  SessionRecord,
  SignIns,
} from './records.ts'

export interface ClientOptions {
  /** Where the API is. If omitted, the origin of the page. */
  readonly baseUrl?: string
  /** Headers of every request, such as that of a token. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** If omitted, the fetch of the platform. */
  readonly fetch?: typeof globalThis.fetch
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface SubmitOptions {
  readonly idempotencyKey?: string
  /** Whether the run is checked in full, and not created. */
  readonly dryRun?: boolean
}

export interface LogOptions {
  readonly follow?: boolean
  readonly pod?: string | undefined
  readonly container?: string | undefined
  readonly tailLines?: number
}

export interface ObjectPage {
  readonly metadata: { readonly continue?: string }
  readonly items: readonly ApiObject[]
}

/** The control plane's HTTP API. Each method throws ApiFailure. */
export class ApiClient {
  readonly #options: ClientOptions

  constructor(options: ClientOptions = {}) {
    this.#options = options
  }

  async listRuns(
    filter: RunFilter & { readonly limit?: number; readonly cursor?: string | undefined },
    signal?: AbortSignal,
  ): Promise<RunPage> {
    return await this.#json<RunPage>('GET', '/v1/runs', { query: { ...filter }, signal })
  }

  async getRun(key: RunKey, signal?: AbortSignal): Promise<FoundRun> {
    const { kind, uid } = key
    return await this.#json<FoundRun>('GET', runPath(key), { query: { kind, uid }, signal })
  }

  async cancelRun(key: RunKey): Promise<FoundRun> {
    return await this.#json<FoundRun>('POST', `${runPath(key)}/cancel`, {
      query: { kind: key.kind },
    })
  }

  /** Steps are those of an OrchestrationRun that run again in any case. */
  async repeatRun(key: RunKey, steps: readonly string[] = []): Promise<FoundRun> {
    const query = { kind: key.kind }
    const body = steps.length > 0 ? { steps } : {}
    return await this.#json<FoundRun>('POST', `${runPath(key)}/rerun`, { query, body })
  }

  /** With a key, the same request started before is answered with the same run. */
  async submitRun(
    request: RunRequest,
    { idempotencyKey, dryRun }: SubmitOptions = {},
  ): Promise<FoundRun> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    return await this.#json<FoundRun>('POST', '/v1/runs', {
      query: { dryRun },
      body: request,
      headers,
    })
  }

  /** The output of a run, in the pieces in which it arrives. */
  async readLogs(key: RunKey, options: LogOptions, signal: AbortSignal): Promise<RunLog> {
    const query = { kind: key.kind, ...options }
    const response = await this.send('GET', `${runPath(key)}/logs`, { query, signal })
    const isKept = response.headers.get('agents-log-source') === 'artifact'
    return { isKept, text: textOf(response) }
  }

  async listKinds(signal?: AbortSignal): Promise<readonly KindRecord[]> {
    const { items } = await this.#json<{ readonly items: readonly KindRecord[] }>(
      'GET',
      '/v1/kinds',
      { signal },
    )
    return items
  }

  /** What can be written of the objects of a kind: the OpenAPI schema of its CustomResourceDefinition. */
  async getKindSchema(kind: string, signal?: AbortSignal): Promise<object> {
    return await this.#json<object>('GET', `/v1/kinds/${segment(kind)}/schema`, { signal })
  }

  async listObjects(
    kind: string,
    query: {
      readonly namespace?: string
      readonly labelSelector?: string
      readonly limit?: number
      readonly continue?: string
    },
    signal?: AbortSignal,
  ): Promise<ObjectPage> {
    return await this.#json<ObjectPage>('GET', `/v1/objects/${segment(kind)}`, { query, signal })
  }

  async getObject(kind: string, key: RunKey, signal?: AbortSignal): Promise<ApiObject> {
    return await this.#json<ApiObject>('GET', objectPath(kind, key), { signal })
  }

  /** Creates an object, or changes it by server-side apply. */
  async applyObject(kind: string, key: RunKey, object: ApiObject): Promise<ApiObject> {
    return await this.#json<ApiObject>('PUT', objectPath(kind, key), { body: object })
  }

  /** Creates an object that does not exist yet. */
  async createObject(kind: string, key: RunKey, object: ApiObject): Promise<ApiObject> {
    const query = { create: true }
    return await this.#json<ApiObject>('PUT', objectPath(kind, key), { query, body: object })
  }

  /** Replaces an object in the version that it has in its metadata. */
  async replaceObject(
    kind: string,
    key: RunKey,
    object: ApiObject,
    { dryRun }: { readonly dryRun?: boolean },
  ): Promise<ApiObject> {
    const query = { replace: true, dryRun }
    return await this.#json<ApiObject>('PUT', objectPath(kind, key), { query, body: object })
  }

  /** The events of an object, newest first. */
  async listEvents(
    kind: string,
    key: RunKey,
    signal?: AbortSignal,
  ): Promise<readonly EventRecord[]> {
    const path = `${objectPath(kind, key)}/events`
    const { items } = await this.#json<{ readonly items: readonly EventRecord[] }>('GET', path, {
      signal,
    })
    return items
  }

  /** The objects that refer to an object, by kind. */
  async listReferrers(
    kind: string,
    key: RunKey,
    signal?: AbortSignal,
  ): Promise<readonly ReferrersOfKind[]> {
    const path = `${objectPath(kind, key)}/referrers`
    const answer = await this.#json<{ readonly kinds: readonly ReferrersOfKind[] }>('GET', path, {
      signal,
    })
    return answer.kinds
  }

  /** The content of an Artifact. */
  async readArtifact({ namespace, name }: RunKey): Promise<Blob> {
    const path = `/v1/artifacts/${segment(namespace)}/${segment(name)}/content`
    const response = await this.send('GET', path)
    return await response.blob()
  }

  /** What callers did, newest first. */
  async listAudit(
    filter: AuditFilter & { readonly limit?: number; readonly before?: number | undefined },
    signal?: AbortSignal,
  ): Promise<AuditPage> {
    return await this.#json<AuditPage>('GET', '/v1/audit', { query: { ...filter }, signal })
  }

  async verifyAudit(): Promise<AuditVerdict> {
    return await this.#json<AuditVerdict>('GET', '/v1/audit/verify', {})
  }

  /** Deliveries of issue trackers, newest first. */
  async listDeliveries(
    filter: DeliveryFilter & { readonly limit?: number; readonly before?: string | undefined },
    signal?: AbortSignal,
  ): Promise<DeliveryPage> {
    return await this.#json<DeliveryPage>('GET', '/v1/inbox', { query: { ...filter }, signal })
  }

  async getDelivery(namespace: string, id: string, signal?: AbortSignal): Promise<Delivery> {
    return await this.#json<Delivery>('GET', deliveryPath(namespace, id), { signal })
  }

  /** Lets a dead delivery be processed again. */
  async replayDelivery(namespace: string, id: string): Promise<Delivery> {
    return await this.#json<Delivery>('POST', `${deliveryPath(namespace, id)}/replay`, {})
  }

  /** Whether the control plane can answer. One that cannot is no failure here. */
  async readHealth(signal?: AbortSignal): Promise<Health> {
    try {
      const response = await this.send('GET', '/readyz', { query: { verbose: true }, signal })
      return readHealth(await response.text(), true)
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 500) return readHealth('', false)
      throw error
    }
  }

  /** What `agentctl doctor` finds in the cluster, with the rights of the caller. */
  async examinePlatform(
    namespace: string | undefined,
    signal?: AbortSignal,
  ): Promise<readonly Finding[]> {
    const query = { namespace }
    const { findings } = await this.#json<{ readonly findings: readonly Finding[] }>(
      'GET',
      '/v1/doctor',
      { query, signal },
    )
    return findings
  }

  /** How many runs wait and run. */
  async listQueues(signal?: AbortSignal): Promise<readonly RunQueue[]> {
    const { queues } = await this.#json<{ readonly queues: readonly RunQueue[] }>(
      'GET',
      '/v1/queues',
      { signal },
    )
    return queues
  }

  /** The version of the control plane. */
  async readVersion(signal?: AbortSignal): Promise<string> {
    const { info } = await this.#json<{ readonly info: { readonly version: string } }>(
      'GET',
      '/openapi.json',
      { signal },
    )
    return info.version
  }

  async deleteObject(kind: string, key: RunKey): Promise<void> {
    await this.send('DELETE', objectPath(kind, key))
  }

  /** Who the caller is. */
  async getSession(signal?: AbortSignal): Promise<SessionRecord> {
    return await this.#json<SessionRecord>('GET', '/v1/session', { signal })
  }

  /** Signs the browser in with a code of `agentctl console`. The proof is a header of all further requests. */
  async openSession(code: string): Promise<SessionRecord & { readonly proof: string }> {
    return await this.#json('POST', '/v1/session', { body: { code } })
  }

  /** How browsers can sign in. */
  async listSignIns(signal?: AbortSignal): Promise<SignIns> {
    return await this.#json<SignIns>('GET', '/v1/sign-in', { signal })
  }

  /** Begins to sign in at the OpenID provider. Resolves to the address that the browser opens. */
  async startSignIn(): Promise<string> {
    const { url } = await this.#json<{ readonly url: string }>('POST', '/v1/sign-in', {})
    return url
  }

  /** Signs the browser in with the query with which the provider opened the page. */
  async finishSignIn(answer: string): Promise<SessionRecord & { readonly proof: string }> {
    return await this.#json('POST', '/v1/sign-in/finish', { body: { answer } })
  }

  /** Resolves to the address at which the browser signs out of the OpenID provider, if there is one. */
  async endSession(): Promise<string | undefined> {
    const path = '/v1/session'
    const ended = await this.#json<{ readonly signOutUrl?: string }>('DELETE', path, {})
    return ended.signOutUrl
  }

  /** Which of the acts the caller may do, in their order. */
  async reviewAccess(acts: readonly Act[], signal?: AbortSignal): Promise<readonly Access[]> {
    const answer = await this.#json<{ readonly acts: readonly Access[] }>('POST', '/v1/access', {
      body: { acts },
      signal,
    })
    return answer.acts
  }

  /** Sends a request. The response has a status of success. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { query = {}, body, headers = {}, signal } = options
    const { baseUrl = '', fetch = globalThis.fetch } = this.#options
    const request: RequestInit = {
      method,
      headers: {
        ...this.#options.headers?.(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    }
    let response: Response
    try {
      response = await fetch(`${baseUrl}${path}${queryText(query)}`, request)
    } catch (cause) {
      if (signal?.aborted) throw cause
      const message = 'the server cannot be reached'
      throw new ApiFailure({ status: 0, code: 'Unreachable', message }, { cause })
    }
    if (!response.ok) throw await failureOf(response)
    return response
  }

  async #json<T>(method: string, path: string, options: RequestOptions): Promise<T> {
    const response = await this.send(method, path, options)
    return (await response.json()) as T
  }
}

type TextStream = AsyncIterable<string>

export interface RunLog {
  /** Whether the pod is gone, and this is what the platform kept of its output. */
  readonly isKept: boolean
  readonly text: TextStream
}

/** The text of a response as it arrives; a character is never cut in two. */
export async function* textOf(response: Response): AsyncGenerator<string, void> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const piece = decoder.decode(value, { stream: !done })
      if (piece !== '') yield piece
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
