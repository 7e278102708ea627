import { execFile } from 'node:child_process'
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { withProcessLock } from './process-lock.ts'

const run = promisify(execFile)

/** The browser weighs 64 MB packed, and axe-core has another licence than ours: neither is part of an installation. */
const packages = { '@sparticuz/chromium': '153.0.0', 'axe-core': '4.14.0' } as const

export interface TestBrowser {
  readonly browser: Browser
  /** The script of axe-core, which pages are checked with. */
  readonly axePath: string
}

/** A real Chromium, installed at first use outside of the checkout, without running scripts of packages. */
export async function startBrowser(env: NodeJS.ProcessEnv = process.env): Promise<TestBrowser> {
  const folder = await ensurePackages(env)
  const module = pathToFileURL(join(folder, 'node_modules/@sparticuz/chromium/build/index.js'))
  const { default: packed } = (await import(module.href)) as {
    default: { executablePath(): Promise<string> }
  }
  const browser = await chromium.launch({
    executablePath: await packed.executablePath(),
    // Tests run as root, for whom Chromium has no sandbox.
    args: ['--no-sandbox', '--headless=shell', '--disable-gpu'],
  })
  return { browser, axePath: join(folder, 'node_modules/axe-core/axe.min.js') }
}

async function ensurePackages(env: NodeJS.ProcessEnv): Promise<string> {
  const root = env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const cache = join(root, 'agents-testbed')
  const versions = Object.values(packages).join('-')
  const folder = join(cache, `browser-${versions}`)
  await mkdir(cache, { recursive: true })
  const waits = (): void => void process.stderr.write('browser: another process installs it\n')
  await withProcessLock(join(cache, 'browser-lock.sqlite'), waits, async () => {
    const exists = await access(folder).then(
      () => true,
      () => false,
    )
    if (exists) return
    process.stderr.write('browser: installing it (first time only)\n')
    const partial = `${folder}.partial`
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial)
    await writeFile(join(partial, 'package.json'), '{"private": true}\n')
    const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
    await run('npm', ['install', ...flags, ...wanted], { cwd: partial, env })
    await rename(partial, folder)
  })
  return folder
}
