import { configMaps, core, keys, list, type Make, patch, widgets } from './large-request.ts'

/** Patches of every format with many operations or values. */
export const patches: readonly Make[] = [
  (n) => patch(`${widgets}/first`, 'merge-patch+json', { spec: { free: keys(n, (at) => at) } }),
  (n) =>
    patch(`${widgets}/first`, 'merge-patch+json', { spec: { free: null, x: keys(n, () => null) } }),
  (n, random) => {
    const operation = random.pick<(at: number) => object>([
      (at) => ({ op: 'add', path: `/spec/free/k${at}`, value: at }),
      () => ({ op: 'add', path: '/spec/parts/0', value: {} }),
      () => ({ op: 'copy', from: '/spec', path: '/spec/free/copy' }),
      (at) => ({ op: 'copy', from: '/spec/free', path: `/spec/free/c${at}` }),
      () => ({ op: 'move', from: '/spec/parts/0', path: '/spec/parts/0' }),
      () => ({ op: 'test', path: '/spec/free', value: {} }),
      () => ({ op: 'test', path: '/a/b'.repeat(90), value: 1 }),
    ])
    const start = [{ op: 'add', path: '/spec/free', value: { list: list(n / 2, () => []) } }]
    return patch(`${widgets}/first`, 'json-patch+json', [...start, ...list(n / 6, operation)])
  },
  (n) =>
    patch(`${configMaps}/settings`, 'strategic-merge-patch+json', {
      metadata: { finalizers: list(n, (at) => `a.b/c${at}`) },
    }),
  (n) =>
    patch(`${configMaps}/settings`, 'strategic-merge-patch+json', {
      metadata: {
        finalizers: list(n / 2, (at) => `a.b/c${at}`),
        '$deleteFromPrimitiveList/finalizers': list(n / 2, (at) => `a.b/c${at}`),
      },
    }),
  (n) =>
    patch(`${core}/pods/alone`, 'strategic-merge-patch+json', {
      spec: {
        '$setElementOrder/containers': list(n / 4, (at) => ({ name: `n${at}` })).reverse(),
        containers: list(n / 4, (at) => ({ name: `n${at}`, $patch: at % 2 ? 'delete' : 'merge' })),
      },
    }),
  (n) =>
    patch('/apis/apps/v1/namespaces/fuzz/deployments/web', 'strategic-merge-patch+json', {
      spec: { strategy: { $retainKeys: list(n / 2, (at) => `k${at}`), ...keys(n / 2, () => 1) } },
    }),
  (n, random) =>
    patch(`${widgets}/first?fieldManager=m${random.integer(3)}&force=true`, 'apply-patch+yaml', {
      ...{ apiVersion: 'fuzz.example.dev/v1', kind: 'Widget', metadata: { name: 'first' } },
      spec: { free: keys(n, (at) => at), parts: list(n / 5, (at) => ({ name: `p${at}` })) },
    }),
  (n, random) =>
    patch(`${configMaps}/settings?fieldManager=m${random.integer(3)}`, 'apply-patch+yaml', {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } },
      data: keys(n, (at) => String(at)),
    }),
]
