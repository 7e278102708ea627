import type { KubeClient } from '@agents/kube'

/** Bytes that kube-apiserver has allocated since it started. Unlike CPU time, they do not depend on the machine. */
export async function allocatedBytes(client: KubeClient): Promise<number> {
  const { bytes } = await client.request({ path: '/metrics' })
  const [, total] = /^go_memstats_alloc_bytes_total (\S+)$/m.exec(bytes.toString()) ?? []
  return Number(total)
}
