import type { IncomingMessage, ServerResponse } from 'node:http'
import { WorkLimitExceeded } from '@agents/crd'
import type { Resource } from '../registry/resource.ts'
import type { Strategy } from '../registry/strategy.ts'
import { isHeavyObject } from '../request/body-weight.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { RequestInfo } from '../request/request-info.ts'
import type { UserInfo } from '../request/user-info.ts'
import { objectKey, type RestEnvironment, type Target } from '../rest/environment.ts'
import type { DecodeProtobuf } from './decode-body.ts'
import type { IsKind } from './decode-object.ts'
import type { RequestThread } from './request-thread.ts'
import type { Answer } from './send-objects.ts'
import type { TableConverter } from './table-converter.ts'
import type { WatchSet } from './watch-set.ts'

/** Dependencies of the resource handlers. */
export interface ResourceServer {
  readonly environment: RestEnvironment
  readonly watches: WatchSet
  readonly toTable: TableConverter | undefined
  readonly decodeProtobuf: DecodeProtobuf | undefined
  readonly isKind: IsKind
  readonly now: () => Date
  /** Answers requests that are too expensive for this thread. If omitted, this thread answers all requests. */
  readonly offload: RequestThread | undefined
}

/** A request to a resource, with what every verb needs. */
export interface ResourceRequest {
  readonly server: ResourceServer
  readonly resource: Resource
  readonly info: RequestInfo
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly answer: Answer
  readonly user: UserInfo
  readonly warnings: string[]
  /** Throws a 403 if the user lacks access for another verb, such as create for an apply. */
  readonly authorize: (verb: string) => void
  /** Reads the body. Throws WorkLimitExceeded if it is too expensive for this thread. */
  readonly readBody: () => Promise<Buffer>
}

export function contextOf(
  one: ResourceRequest,
  options: Pick<RequestContext, 'dryRun' | 'fieldManager' | 'fieldValidation'>,
): RequestContext {
  return {
    user: one.user,
    now: one.answer.now,
    userAgent: one.request.headers['user-agent'] ?? '',
    warnings: one.warnings,
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  }
}

export function targetOf({ resource, info }: ResourceRequest, strategy: Strategy): Target {
  return {
    resource,
    strategy,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
  }
}

/** Throws WorkLimitExceeded if the object of the request is too large for this thread. */
export function checkLiveWeight({ resource, info, server }: ResourceRequest): void {
  if (server.offload === undefined) return
  const key = objectKey(resource, info.namespace, info.name)
  const live = server.environment.store.get(key)
  if (live !== undefined && isHeavyObject(live.json)) throw new WorkLimitExceeded()
}
