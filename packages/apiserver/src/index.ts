export type { Authenticate, Authorize, Decision } from './endpoints/access.ts'
export type { Status, StatusCause, StatusDetails } from './endpoints/api-error.ts'
export { ApiError } from './endpoints/api-error.ts'
export type { Tls } from './endpoints/http-listener.ts'
export type { PlainHandler, PlainRequest, PlainResponse } from './endpoints/plain-handler.ts'
export type { RequestInfo } from './endpoints/request-info.ts'
export type { UserInfo } from './endpoints/user-info.ts'
export type { Registry } from './registry/registry.ts'
export type { Resource, Strategy, TableColumn } from './registry/resource.ts'
export type { ActionRequest, StreamSubresource, Subresource } from './registry/subresource.ts'
export type { RestEnvironment } from './rest/environment.ts'
export type { RequestContext } from './rest/request-context.ts'
export type {
  ApiServer,
  ApiServerOptions,
  Extension,
  ServerCore,
  ServerParts,
} from './server.ts'
export { startApiServer } from './server.ts'
export { createTableConverter } from './table/to-table.ts'
