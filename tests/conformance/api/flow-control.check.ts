import { conformance, withoutStatus } from './suite.ts'

conformance('flow-control', ({ client, same, sameEach }) => {
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1'
  const levels = `${path}/prioritylevelconfigurations`
  const schemas = `${path}/flowschemas`
  const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
  const limited = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }
  const queuing = { type: 'Queue', queuing: { queues: 8 } }

  // A controller of the real server writes the status of both kinds at once.
  same('a priority level gets defaults', 201, async () =>
    withoutStatus(
      await client.send('POST', levels, { metadata: { name: 'conformance' }, spec: limited }),
    ),
  )
  same('a queue gets defaults', 201, async () => {
    const spec = { type: 'Limited', limited: { limitResponse: queuing } }
    return withoutStatus(
      await client.send('POST', levels, { metadata: { name: 'conformance-queue' }, spec }),
    )
  })
  same('a flow schema gets defaults', 201, async () => {
    const spec = { priorityLevelConfiguration: { name: 'conformance' } }
    return withoutStatus(
      await client.send('POST', schemas, { metadata: { name: 'conformance' }, spec }),
    )
  })
  sameEach([
    ['a table of a priority level', 200, 'GET', `${levels}/conformance-queue`, undefined, table],
    ['an unknown type', 422, 'POST', levels, { metadata: { name: 'odd' }, spec: { type: 'Odd' } }],
  ])
})
