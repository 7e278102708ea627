import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Resource, Strategy } from '../registry/resource.ts'
import type { RestEnvironment, Target } from '../rest/environment.ts'
import type { RequestContext } from '../rest/request-context.ts'
import type { DecodeProtobuf } from './decode-body.ts'
import type { IsKind } from './decode-object.ts'
import type { RequestInfo } from './request-info.ts'
import type { Answer } from './send-objects.ts'
import type { TableConverter } from './table-converter.ts'
import type { UserInfo } from './user-info.ts'
import type { WatchSet } from './watch-set.ts'

/** What the handlers of resources share. */
export interface ResourceServer {
  readonly environment: RestEnvironment
  readonly watches: WatchSet
  readonly toTable: TableConverter | undefined
  readonly decodeProtobuf: DecodeProtobuf | undefined
  readonly isKind: IsKind
  readonly now: () => Date
}

/** One request to a resource, with what every verb needs. */
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
  /** Throws a 403 when the user may not do this as well: apply creates what is missing. */
  readonly authorize: (verb: string) => void
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
