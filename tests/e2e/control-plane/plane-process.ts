import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { type ServiceProcess, startService } from '../../support/processes/service-process.ts'
import { freePort } from '../../support/testbed/free-port.ts'

export interface PlaneProcess {
  /** Of the HTTP API. */
  readonly port: number
  /** The memory that the process has now, in MiB. */
  memory(): number
  /** The most that it has had. */
  mostMemory(): number
  kill(): Promise<void>
  readonly service: ServiceProcess
}

const mostWait = { timeout: 120_000, interval: 100 }

/** The program of the image in a process of its own, without controllers. It ends with the test. */
export async function startPlaneProcess(
  environment: Readonly<Record<string, string>>,
  given?: number,
): Promise<PlaneProcess> {
  const port = given ?? (await freePort())
  const service = startService('services/jangar/src/main/control-plane.ts', {
    JANGAR_AGENTS_CONTROLLER_ENABLED: 'false',
    JANGAR_ORCHESTRATION_CONTROLLER_ENABLED: 'false',
    JANGAR_SUPPORTING_CONTROLLER_ENABLED: 'false',
    JANGAR_AGENTS_CONTROLLER_NAMESPACES: '["*"]',
    JANGAR_RBAC_CLUSTER_SCOPED: 'true',
    JANGAR_GRPC_ENABLED: 'false',
    JANGAR_POD_NAMESPACE: 'red',
    JANGAR_API_ENABLED: 'true',
    JANGAR_API_PORT: String(port),
    ...environment,
  })
  const ready = service.probe
  await expect.poll(() => ready('/readyz'), { ...mostWait, message: 'ready' }).toBe(200)
  return {
    port,
    service,
    memory: () => memoryOf(service, 'VmRSS'),
    mostMemory: () => memoryOf(service, 'VmHWM'),
    kill: async () => {
      service.child.kill('SIGKILL')
      await service.ended
    },
  }
}

function memoryOf({ child }: ServiceProcess, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  return Number(kib) / 1024
}
