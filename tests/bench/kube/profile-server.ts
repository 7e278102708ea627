import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { KubeClient } from '@agents/kube'

/** Writes a CPU profile of kube-apiserver over the next seconds to a file, in the format of pprof. */
export async function profileServer(
  client: KubeClient,
  seconds: number,
  file: string,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const path = `/debug/pprof/profile?seconds=${seconds}`
  const { bytes } = await client.request({ path, timeoutMs: (seconds + 30) * 1000 })
  await writeFile(file, bytes)
}
