import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

const run = promisify(execFile)

export interface ChartPackage {
  readonly path: string
  /** sha256:… of the file. */
  readonly digest: string
}

/**
 * Packages a chart reproducibly: the same files give the same bytes. Helm 4 writes the times of the files, which are
 * set to a fixed time in a copy; Helm 3 writes the time of packaging, and is rejected.
 */
export async function packageChart(
  helm: string,
  chart: string,
  destination: string,
  time: Date,
): Promise<ChartPackage> {
  const work = await mkdtemp(join(tmpdir(), 'agents-package-'))
  try {
    const copy = join(work, 'chart')
    await cp(chart, copy, { recursive: true })
    await setTimes(copy, time)
    await mkdir(join(work, 'out'))
    await run(helm, ['package', copy, '--destination', join(work, 'out')])
    const [name = ''] = await readdir(join(work, 'out'))
    const bytes = await readFile(join(work, 'out', name))
    refuseOtherTimes(gunzipSync(bytes), time)
    await mkdir(destination, { recursive: true })
    const path = join(destination, name)
    await writeFile(path, bytes)
    return { path, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function setTimes(folder: string, time: Date): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) await utimes(join(entry.parentPath, entry.name), time, time)
}

const blockSize = 512

function refuseOtherTimes(archive: Buffer, time: Date): void {
  const octal = (header: Buffer, from: number, to: number) =>
    Number.parseInt(header.toString('latin1', from, to).replaceAll('\0', ''), 8)
  let offset = 0
  while (offset + blockSize <= archive.length && archive[offset] !== 0) {
    const header = archive.subarray(offset, offset + blockSize)
    if (octal(header, 136, 148) * 1000 !== time.getTime())
      throw new Error('this version of Helm writes the current time into the package: use Helm 4')
    offset += blockSize * (1 + Math.ceil(octal(header, 124, 136) / blockSize))
  }
}
