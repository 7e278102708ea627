import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writePrivateFile } from '../running-platform/platform-record.ts'

interface BrowserPorts {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Only its owner can read what is in it. */
  readonly stateDir: string
}

/**
 * Opens an address in the browser of the user. False if there is none. The address is a secret, and arguments of
 * processes are not: the browser gets a private file that leads there.
 */
export async function openBrowser(
  address: string,
  { environment, platform, stateDir }: BrowserPorts,
): Promise<boolean> {
  const opener = platform === 'darwin' ? 'open' : 'xdg-open'
  const hasDisplay = Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY)
  if (platform !== 'darwin' && !hasDisplay) return false
  const file = join(stateDir, 'console.html')
  await writePrivateFile(file, pageTo(address))
  return await new Promise((resolve) => {
    const child = spawn(opener, [pathToFileURL(file).href], {
      env: environment as NodeJS.ProcessEnv,
      stdio: 'ignore',
      detached: true,
    })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

function pageTo(address: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Agents</title>
`
}
