/** Says whether a release works, and ends: for the pods of `helm test`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '@agents/controller'
import { readDefinition } from '@agents/crd'
import { createKubeClient, type KubeClient, systemEffects } from '@agents/kube'
import { connect } from '@agents/process'
import { reportText } from '../server/cluster-checks/finding.ts'
import { readDefinitionFiles } from '../server/definitions/definition-files.ts'
import { doctorUsage, parseDoctorArguments } from '../server/doctor/doctor-arguments.ts'
import { examineRelease } from '../server/doctor/examine-release.ts'
import { pinnedCertificate } from '../server/doctor/pinned-certificate.ts'

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'charts', 'agents', 'crds')

process.exitCode = await main()

async function main(): Promise<number> {
  let parsed: ReturnType<typeof parseDoctorArguments>
  try {
    parsed = parseDoctorArguments(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${doctorUsage}`)
    return 2
  }
  if (parsed === 'help') {
    process.stdout.write(doctorUsage)
    return 0
  }
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  let client: KubeClient | undefined
  const openClient = async (): Promise<KubeClient> => {
    client ??= createKubeClient(await connect(systemEffects(process.env)), {
      userAgent: 'agents-doctor',
    })
    return client
  }
  try {
    const { http, grpc, certificateFile, grants, crds, timeoutMs, asJson } = parsed
    const pinned =
      certificateFile === undefined
        ? undefined
        : pinnedCertificate(await readFile(certificateFile, 'utf8'))
    const files = crds ? await readDefinitionFiles(folder) : undefined
    const definitions = files?.map(({ yaml }) => readDefinition(yaml))
    const findings = await examineRelease(
      { http, grpc, pinned, grants, definitions },
      { openClient, clock: systemClock, timeoutMs, signal: stop.signal },
    )
    process.stdout.write(
      asJson ? `${JSON.stringify(findings, undefined, 2)}\n` : reportText(findings),
    )
    return findings.some(({ verdict }) => verdict === 'bad') ? 1 : 0
  } finally {
    client?.close()
  }
}
