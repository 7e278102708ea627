import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Logger } from '@agents/log'
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  type Interceptor,
} from '@connectrpc/connect'
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node'
import type { RpcHandler } from './grpc-server.ts'

type Procedure = ConnectRouter['handlers'][number]

/** The default limit of gRPC servers for one message. */
const largestMessage = 4 * 1024 * 1024

/** Idle timeout of unary calls. */
const timeoutMs = 60_000

/** Handles gRPC, gRPC-web and Connect. The library's adapter is not used because it writes to the console. */
export function rpcHandler(
  routes: (router: ConnectRouter) => void,
  log: Logger,
  around: readonly Interceptor[] = [],
): RpcHandler {
  const router = createConnectRouter({
    acceptCompression: [compressionGzip, compressionBrotli],
    readMaxBytes: largestMessage,
    interceptors: [...around, logUnexpectedErrors(log)],
  })
  routes(router)
  const procedures = new Map(router.handlers.map((each) => [each.requestPath, each]))
  return (request, response) => {
    const procedure = procedures.get(request.url.split('?', 1)[0] ?? '')
    if (procedure === undefined) refuseUnknown(request, response)
    else void answer(procedure, request, response, log)
  }
}

async function answer(
  procedure: Procedure,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  log: Logger,
): Promise<void> {
  if (procedure.method.methodKind === 'unary') {
    request.stream.setTimeout(timeoutMs, () => request.stream.close())
  }
  try {
    const universalRequest = universalRequestFromNodeRequest(
      request,
      response,
      undefined,
      undefined,
    )
    await universalResponseToNodeResponse(await procedure(universalRequest), response)
  } catch (error) {
    // The client disconnected or sent an invalid request. Logged at debug level, since any client could cause many.
    log.debug('call failed', { path: procedure.requestPath, error })
    request.stream.close()
  }
}

/** Responds as gRPC servers do: without a body, and with the status in the headers. */
function refuseUnknown(request: Http2ServerRequest, response: Http2ServerResponse): void {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('application/grpc')) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, {
    'content-type': type,
    'grpc-status': String(Code.Unimplemented),
    'grpc-message': 'unknown method',
  })
  response.end()
}

/** Logs unexpected errors. Callers only see an internal error. */
function logUnexpectedErrors(log: Logger): Interceptor {
  return (next) => async (call) => {
    try {
      return await next(call)
    } catch (error) {
      if (!(error instanceof ConnectError)) {
        log.error('unexpected error in a call', {
          service: call.service.typeName,
          method: call.method.name,
          error,
        })
      }
      throw error
    }
  }
}
