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

/** What other gRPC servers take of one message. */
const largestMessage = 4 * 1024 * 1024

/** For a call that is one question and one answer: how long either side may be silent. */
const patienceMs = 60_000

/** Answers gRPC, gRPC-web and Connect. The library's own adapter is not used because it writes to the console. */
export function rpcHandler(
  routes: (router: ConnectRouter) => void,
  log: Logger,
  around: readonly Interceptor[] = [],
): RpcHandler {
  const router = createConnectRouter({
    acceptCompression: [compressionGzip, compressionBrotli],
    readMaxBytes: largestMessage,
    interceptors: [...around, logSurprises(log)],
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
    request.stream.setTimeout(patienceMs, () => request.stream.close())
  }
  try {
    const asked = universalRequestFromNodeRequest(request, response, undefined, undefined)
    await universalResponseToNodeResponse(await procedure(asked), response)
  } catch (error) {
    // Who has gone away, or asks in a way that is none: not worth a line each, and anybody could cause many.
    log.debug('a call was not answered', { path: procedure.requestPath, error })
    request.stream.close()
  }
}

/** As gRPC servers do it: an answer without a body, whose head says why. */
function refuseUnknown(request: Http2ServerRequest, response: Http2ServerResponse): void {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('application/grpc')) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, {
    'content-type': type,
    'grpc-status': String(Code.Unimplemented),
    'grpc-message': 'this version does not serve that method',
  })
  response.end()
}

/** Callers are told only that something went wrong inside; the log is told what. */
function logSurprises(log: Logger): Interceptor {
  return (next) => async (call) => {
    try {
      return await next(call)
    } catch (error) {
      if (!(error instanceof ConnectError)) {
        log.error('a call failed', {
          service: call.service.typeName,
          method: call.method.name,
          error,
        })
      }
      throw error
    }
  }
}
