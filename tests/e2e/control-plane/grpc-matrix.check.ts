import { agentRun, schedule } from '@agents/jangar-api'
import { formatApiVersion, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverMethods } from '../../../services/jangar/src/server/grpc/caller-methods.ts'
import { AgentctlService } from '../../../services/jangar/src/server/grpc/generated/proompteng/jangar/v1/agentctl_pb.ts'
import { buildGoClient, type Call, type GoClient } from '../../support/grpc/go-client.ts'
import { likeAuthorities } from '../../support/testbed/authority.ts'
import { freePort } from '../../support/testbed/free-port.ts'
import { until } from '../../support/testbed/until.ts'
import { type ApiBed, type CallerName, callers, startApiBed } from './api-bed.ts'
import { entriesAfter, newestEntry, strangerPace, usernames } from './audit-entries.ts'
import { grpcRows } from './grpc-matrix-rows.ts'
import { startPlaneProcess } from './plane-process.ts'

const client = await buildGoClient()
const spec = {
  agentRef: { name: 'writer' },
  implementation: { inline: { text: 'x' } },
  runtime: { type: 'job' },
}

test('every method has a row, and every row a method', () => {
  const methods = AgentctlService.methods.map(({ name }) => name)
  expect(new Set(grpcRows.map(({ method }) => method))).toEqual(new Set(methods))
})

describe.skipIf(client === undefined).each(likeAuthorities)(
  'gRPC over TLS on the %s API server',
  (authority) => {
    let bed: ApiBed
    beforeAll(async () => {
      bed = await startApiBed(authority, { planeCount: 0 })
      await create(bed, kindRef<KubeObject>(agentRun), 'red', 'one', spec)
      await create(bed, kindRef<KubeObject>(agentRun), 'blue', 'secret-plan', spec)
      await bed.archiveRun('red', 'archived')
      await bed.archiveRun('blue', 'secret-plan-archived')
      await bed.addDeadDelivery('red', 'o/r#1')
      await bed.addDeadDelivery('blue', 'secret-plan#2')
      await create(bed, kindRef<KubeObject>(schedule), 'red', 'nightly', {
        ...{ cron: '0 3 * * *', template: { kind: 'AgentRun', spec } },
      })
    })
    afterAll(() => bed?.stop())

    test('each method gives each caller what the HTTP API gives', async () => {
      const grpcPort = await freePort()
      const plane = await startPlaneProcess({
        ...bed.environment,
        JANGAR_GRPC_ENABLED: 'true',
        JANGAR_GRPC_TLS: 'true',
        JANGAR_GRPC_PORT: String(grpcPort),
        JANGAR_GRPC_TOKEN: 'of-the-server',
      })
      const ask = (call: Omit<Call, 'service' | 'ca'>) =>
        (client as GoClient)(`127.0.0.1:${grpcPort}`, {
          ...{ service: 'AgentctlService', ca: bed.listener.caFile },
          ...call,
        })
      const codeFor = async (caller: CallerName, row: (typeof grpcRows)[number]) => {
        const { method, request, isEndless = false } = row
        const token = bed.tokens[caller]
        const { messages, ended, stop } = ask({ method, request, ...(token && { token }) })
        if (isEndless) {
          const first = until(() => messages.length > 0).then(() => ({ code: 'OK', message: '' }))
          const { code } = await Promise.race([first, ended])
          stop()
          await ended.catch(() => undefined)
          return code
        }
        const { code } = await ended
        // Whoever may not see the other namespace does not learn what is in it.
        if (caller !== 'admin' && caller !== 'reader of another namespace') {
          expect(JSON.stringify(messages)).not.toContain('secret-plan')
        }
        return code
      }
      const names = await usernames(bed, plane.port)
      const pace = strangerPace()
      for (const row of grpcRows) {
        const last = await newestEntry(bed)
        const given: Record<string, string> = {}
        for (const caller of callers) {
          if (names.get(caller) === '') await pace()
          given[caller] = await codeFor(caller, row)
        }
        const wanted = Object.fromEntries(callers.map((caller, at) => [caller, row.codes[at]]))
        expect([row.method, row.because, given]).toEqual([row.method, row.because, wanted])
        if (hasServerToken(row.method)) continue
        const action = row.method.replace(/^./, (first) => first.toLowerCase())
        const acts = callers.map((caller, at) => [names.get(caller), outcomeOf(row.codes[at])])
        const recorded = async () =>
          (await entriesAfter(bed, last))
            .filter((act) => act.action === action)
            .map(({ actor, outcome }) => [actor, outcome])
        const message = `audit of ${row.method} (${row.because})`
        await expect.poll(recorded, { message, timeout: 200_000 }).toEqual(acts)
      }
      const info = ask({ method: 'GetServerInfo', token: 'of-the-server' })
      expect((await info.ended).code).toBe('OK')
      for (const token of Object.values(bed.tokens)) {
        if (token !== undefined && token !== 'wrong') {
          expect(plane.service.text()).not.toContain(token)
        }
      }
    })
  },
)

/** What callers do with the token of the server has no user. */
function hasServerToken(method: string): boolean {
  return serverMethods.some((one) => one === method.replace(/^./, (first) => first.toLowerCase()))
}

function outcomeOf(code: string | undefined): string {
  if (code === 'PermissionDenied' || code === 'Unauthenticated') return 'denied'
  return code === 'OK' ? 'allowed' : 'failed'
}

async function create(
  bed: ApiBed,
  kind: ReturnType<typeof kindRef<KubeObject>>,
  namespace: string,
  name: string,
  of: object,
): Promise<void> {
  await bed.admin.create(kind, {
    ...{ apiVersion: formatApiVersion(kind), kind: kind.kind },
    ...{ metadata: { namespace, name }, spec: of },
  } as KubeObject)
}
