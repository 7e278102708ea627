import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type TestbedBinary = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler'

/** One wrapper module and the programs that are built from it. */
export interface GoBuild {
  readonly title: string
  readonly moduleDirectory: string
  readonly packages: Readonly<Partial<Record<TestbedBinary, string>>>
  readonly flags: readonly string[]
}

// A release build takes these from its git tag; the module has neither the commit nor the tag.
const kubernetesVersion = {
  gitMajor: '1',
  gitMinor: '36',
  gitVersion: 'v1.36.4',
  gitCommit: 'unknown',
  gitTreeState: 'clean',
  buildDate: '2026-08-20T11:51:43Z',
}

const versionFlags = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(
  (target) =>
    Object.entries(kubernetesVersion).map(([name, value]) => `-X ${target}.${name}=${value}`),
)

export const goBuilds: readonly GoBuild[] = [
  {
    title: 'etcd 3.6.16',
    moduleDirectory: join(import.meta.dirname, 'go', 'etcd'),
    packages: { etcd: 'go.etcd.io/etcd/server/v3' },
    flags: ['-trimpath', '-ldflags', '-s -w'],
  },
  {
    title: 'Kubernetes 1.36.4',
    moduleDirectory: join(import.meta.dirname, 'go', 'kubernetes'),
    packages: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
    },
    flags: ['-trimpath', '-ldflags', `-s -w ${versionFlags.join(' ')}`],
  },
]

/** The cache key of a build: the same sources, flags and platform give the same key on every machine. */
export async function buildKey(build: GoBuild): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum']) {
    hash.update(await readFile(join(build.moduleDirectory, file)))
  }
  hash.update(JSON.stringify([build.packages, build.flags, process.platform, process.arch]))
  return hash.digest('hex').slice(0, 16)
}
