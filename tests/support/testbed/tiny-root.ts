import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Creates a root file system from the machine's own programs and their libraries, so that no image has to be pulled.
 */
export async function makeTinyRoot(root: string): Promise<void> {
  for (const name of ['bin', 'etc', 'tmp', 'root'])
    await mkdir(join(root, name), { recursive: true })
  await chmod(join(root, 'tmp'), 0o1777)
  await writeFile(
    join(root, 'etc', 'passwd'),
    'root:x:0:0::/root:/bin/sh\napp:x:1234:1234::/:/bin/sh\n',
  )
  await writeFile(join(root, 'etc', 'group'), 'root:x:0:\napp:x:1234:\n')
  const run = promisify(execFile)
  const libraries = new Set<string>()
  for (const name of programs.split(' ')) {
    const file = (await run('which', [name])).stdout.trim()
    await copyFile(file, join(root, 'bin', name))
    // ldd fails for statically linked programs.
    const { stdout } = await run('ldd', [file]).catch(() => ({ stdout: '' }))
    for (const [, library = ''] of stdout.matchAll(/(\/\S+) \(0x/g)) libraries.add(library)
  }
  for (const library of libraries) {
    await mkdir(join(root, dirname(library)), { recursive: true })
    await copyFile(library, join(root, library))
    await linkLibrary(root, library)
  }
}

const programs =
  'sh cat chmod dd echo env head hostname id ls mkdir printf pwd seq sleep stat tail touch true'

/** Where `/lib` is a link on the machine, the loader may search either path. */
async function linkLibrary(root: string, library: string): Promise<void> {
  if (!library.startsWith('/usr/')) return
  const place = join(root, dirname(library).slice('/usr'.length))
  await mkdir(place, { recursive: true })
  await symlink(library, join(place, basename(library))).catch(() => undefined)
}
