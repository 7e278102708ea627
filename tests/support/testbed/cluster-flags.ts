import { join } from 'node:path'
import type { TestbedBinary } from './go-builds.ts'

/** Files and ports of one cluster. */
export interface ClusterLayout {
  readonly dataDir: string
  readonly adminToken: string
  readonly etcdPort: number
  readonly apiServerPort: number
  readonly logDirectory: string
  readonly certificateDirectory: string
  readonly authorityPath: string
  readonly tokenPath: string
  readonly signingKeyPath: string
  readonly kubeconfigPath: string
}

interface ClusterFlagOptions {
  readonly disableAdmissionPlugins?: readonly string[]
  readonly authorizationMode?: string
  readonly apiServerFlags?: readonly string[]
  readonly controllerManagerFlags?: readonly string[]
  readonly schedulerFlags?: readonly string[]
  readonly fsync?: boolean
}

export function programArguments(
  name: TestbedBinary,
  layout: ClusterLayout,
  options: ClusterFlagOptions,
): string[] {
  switch (name) {
    case 'etcd':
      return etcdFlags(layout, options)
    case 'kube-apiserver':
      return apiServerFlags(layout, options)
    case 'kube-controller-manager':
      return controllerManagerFlags(layout, options)
    case 'kube-scheduler':
      return [...componentFlags(layout), ...(options.schedulerFlags ?? [])]
  }
}

function etcdFlags(layout: ClusterLayout, options: ClusterFlagOptions): string[] {
  const clientUrl = `http://127.0.0.1:${layout.etcdPort}`
  return [
    `--data-dir=${join(layout.dataDir, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    '--log-level=warn',
    ...(options.fsync === false ? ['--unsafe-no-fsync'] : []),
  ]
}

function apiServerFlags(layout: ClusterLayout, options: ClusterFlagOptions): string[] {
  const disabled = options.disableAdmissionPlugins ?? []
  return [
    `--etcd-servers=http://127.0.0.1:${layout.etcdPort}`,
    `--secure-port=${layout.apiServerPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    // Endpoints may not have a loopback address, and no other address reaches this server.
    '--endpoint-reconciler-type=none',
    `--cert-dir=${layout.certificateDirectory}`,
    `--token-auth-file=${layout.tokenPath}`,
    `--authorization-mode=${options.authorizationMode ?? 'RBAC'}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${layout.signingKeyPath}`,
    `--service-account-signing-key-file=${layout.signingKeyPath}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    ...(disabled.length > 0 ? [`--disable-admission-plugins=${disabled.join(',')}`] : []),
    ...(options.apiServerFlags ?? []),
  ]
}

function controllerManagerFlags(layout: ClusterLayout, options: ClusterFlagOptions): string[] {
  return [
    ...componentFlags(layout),
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${layout.signingKeyPath}`,
    `--root-ca-file=${layout.authorityPath}`,
    ...(options.controllerManagerFlags ?? []),
  ]
}

function componentFlags(layout: ClusterLayout): string[] {
  return [`--kubeconfig=${layout.kubeconfigPath}`, '--leader-elect=false', '--secure-port=0']
}
