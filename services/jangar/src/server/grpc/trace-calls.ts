import { parseTraceparent, type Tracer } from '@agents/tracing'
import { ConnectError, type Interceptor } from '@connectrpc/connect'

/**
 * Records a span for each call, in the trace of the caller. Excludes services such as health checks, which are called
 * all the time.
 */
export function traceCalls(tracer: Tracer, except: readonly string[]): Interceptor[] {
  if (!tracer.isOn) return []
  return [
    (next) => (call) => {
      const { service, method, header } = call
      if (except.includes(service.typeName)) return next(call)
      const options = {
        kind: 'server',
        parent: parseTraceparent(header.get('traceparent')) ?? 'none',
        attributes: {
          'rpc.system': 'grpc',
          'rpc.service': service.typeName,
          'rpc.method': method.name,
        },
      } as const
      return tracer.trace(`${service.typeName}/${method.name}`, options, async (span) => {
        try {
          return await next(call)
        } catch (error) {
          span.set({ 'rpc.grpc.status_code': ConnectError.from(error).code })
          throw error
        }
      })
    },
  ]
}
