import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { connect } from './client.ts'
import { tokens } from './tokens.ts'

export type SubjectName = 'embedded' | 'real'

/** A server under test, as data, so that it can be passed to other processes. */
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

/** The controllers that the embedded server has too; workload controllers are not under test. */
const controllers = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'ttl-after-finished-controller',
  'validatingadmissionpolicy-status-controller',
]

async function startReal(): Promise<RunningSubject> {
  const cluster = await startRealCluster({
    controllerManager: true,
    tokens: Object.values(tokens),
    fsync: false,
    // Old revisions must be compacted while the suite runs, so that it covers the consequences.
    apiServerFlags: ['--etcd-compaction-interval=20s'],
    controllerManagerFlags: [`--controllers=${controllers.join(',')}`],
  })
  const { url, caPem, adminToken } = cluster
  return { subject: { name: 'real', url, caPem, adminToken }, stop: () => cluster.stop() }
}

async function startEmbedded(): Promise<RunningSubject> {
  const server = await startEmbeddedServer({
    tokens: Object.values(tokens),
    flags: ['--authorization-mode=RBAC', `--history-events=${historyEvents}`],
  })
  const { url, caPem, adminToken } = server
  const subject: Subject = { name: 'embedded', url, caPem, adminToken }
  try {
    await outliveHistory(subject)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { subject, stop: () => server.stop() }
}

/** More events than occur during one test, and few enough to be written before the first. */
const historyEvents = 1_000

/** Old revisions must be compacted here, too. */
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
