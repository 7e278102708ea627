export { createFieldManager } from './apply/create-field-manager.ts'
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
export type { FieldManager } from './rest/field-manager.ts'
export type { RequestContext } from './rest/request-context.ts'
export type {
  Extension,
  FrameOptions,
  ServerCore,
  ServerFrame,
  ServerParts,
} from './server-frame.ts'
export { startServerFrame } from './server-frame.ts'
export { createTableConverter } from './table/to-table.ts'
