import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { startProgram } from '../testbed/child-program.ts'
import { startRealCluster } from '../testbed/real-cluster.ts'
import { connect } from './client.ts'
import { tokens } from './tokens.ts'

export type SubjectName = 'embedded' | 'real'

/** A server under test, as data, so that it can be handed to other processes. */
export interface Subject {
  readonly name: SubjectName
  readonly url: string
  readonly caPem: string
  readonly adminToken: string
}

export interface RunningSubject {
  readonly subject: Subject
  stop(): Promise<void>
}

export const subjectStarters: Readonly<Record<SubjectName, () => Promise<RunningSubject>>> = {
  embedded: startEmbedded,
  real: startReal,
}

/** What the embedded server does behind its API; workloads are the business of others. */
const controllers = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'ttl-after-finished-controller',
]

async function startReal(): Promise<RunningSubject> {
  const cluster = await startRealCluster({
    controllerManager: true,
    tokens: Object.values(tokens),
    fsync: false,
    // Old revisions must go while the suite runs, so that it can see what becomes of them.
    apiServerFlags: ['--etcd-compaction-interval=20s'],
    controllerManagerFlags: [`--controllers=${controllers.join(',')}`],
  })
  const { url, caPem, adminToken } = cluster
  return { subject: { name: 'real', url, caPem, adminToken }, stop: () => cluster.stop() }
}

/** The command that is shipped, in a process of its own. */
async function startEmbedded(): Promise<RunningSubject> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-embedded-'))
  const adminToken = randomBytes(24).toString('hex')
  const known = [{ token: adminToken, user: 'admin', groups: ['system:masters'] }]
  const lines = [...known, ...Object.values(tokens)].map(
    ({ token, user, groups }) => `${token},${user},${user},"${groups.join(',')}"`,
  )
  const tokenFile = join(directory, 'tokens.csv')
  await writeFile(tokenFile, `${lines.join('\n')}\n`, { mode: 0o600 })
  const kubeconfig = join(directory, 'admin.kubeconfig')
  const command = join(import.meta.dirname, '../../packages/apiserver/src/main/apiserver.ts')
  const flags = ['--ephemeral', '--secure-port=0', `--kubeconfig=${kubeconfig}`]
  const program = await startProgram(
    'apiserver',
    process.execPath,
    [
      command,
      ...flags,
      `--token-auth-file=${tokenFile}`,
      '--authorization-mode=RBAC',
      `--history-events=${historyEvents}`,
      `--cert-dir=${join(directory, 'certificates')}`,
    ],
    join(directory, 'apiserver.log'),
  )
  const stop = async (): Promise<void> => {
    await program.stop()
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    const url = await readyUrl(join(directory, 'apiserver.log'), program.exited)
    const caPem = authorityOf(await readFile(kubeconfig, 'utf8'))
    const subject: Subject = { name: 'embedded', url, caPem, adminToken }
    await outliveHistory(subject)
    return { subject, stop }
  } catch (error) {
    const log = await program.logTail()
    await stop()
    throw new Error(`the embedded server did not start; its log ends:\n${log}`, { cause: error })
  }
}

/** More than happens during one test, and few enough to be written before the first. */
const historyEvents = 1_000

/** Old revisions must be gone here, too. */
async function outliveHistory(subject: Subject): Promise<void> {
  const client = connect(subject, subject.adminToken)
  const path = '/api/v1/namespaces/default/configmaps'
  const writeMany = async (_all: unknown, writer: number): Promise<void> => {
    const name = `history-${writer}`
    await client.send('POST', path, { metadata: { name } })
    for (let count = 0; count < historyEvents / 10; count++) {
      await client.send('PUT', `${path}/${name}`, { metadata: { name }, data: { n: `${count}` } })
    }
    await client.send('DELETE', `${path}/${name}`)
  }
  await Promise.all(Array.from({ length: 10 }, writeMany))
  client.close()
}

async function readyUrl(logPath: string, exited: () => string | undefined): Promise<string> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const [, url] = /^ready (https:\S+)$/m.exec(await readFile(logPath, 'utf8')) ?? []
    if (url !== undefined) return url
    const ending = exited()
    if (ending !== undefined) throw new Error(ending)
    if (performance.now() > deadline) throw new Error('not ready in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

interface Kubeconfig {
  readonly clusters: readonly { cluster: { 'certificate-authority-data': string } }[]
}

function authorityOf(kubeconfig: string): string {
  const { clusters } = parse(kubeconfig) as Kubeconfig
  const encoded = clusters[0]?.cluster['certificate-authority-data'] ?? ''
  return Buffer.from(encoded, 'base64').toString('utf8')
}
