import { type EventPorts, readEvents } from '../../api/read-events.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import { eventStream, eventStreamAnswer } from './event-stream.ts'
import { anyKind } from './run-schemas.ts'

export function eventRoutes(ports: EventPorts): readonly Route[] {
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/events',
      id: 'readEvents',
      summary: 'Changes of runs and other objects, as server-sent events.',
      description:
        'The first event is `ready`, or `resumed` if Last-Event-ID was given and no change is missing, or `reset` if some may be: then list the runs again. Each `change` has `{"type": "ADDED|MODIFIED|DELETED", "run": …}`. With `objects`, each change of another object is an `object` with `{"type": …, "object": {"kind": …, "namespace": …, "name": …, "uid": …}}`, and `kinds` lists the kinds that are watched, at the start and when they change. What the caller may not list is left out.',
      query: {
        namespace: { ...pathParameters.namespace, description: 'If omitted, all namespaces.' },
        kind: { ...anyKind, description: 'The kind of run. If omitted, all kinds.' },
        objects: {
          type: 'boolean',
          description: 'Whether changes of other objects of the platform are sent too.',
        },
      },
      ...eventStream,
      handle: ({ query, headers, signal }, caller) =>
        eventStreamAnswer(
          readEvents(
            ports,
            caller,
            { ...query, objects: query.objects === true, last: headers['last-event-id'] },
            signal,
          ),
        ),
    }),
  ]
}
