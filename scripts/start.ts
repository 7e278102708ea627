import { buildConsole } from '@agents/console'

/**
 * `npm start` is `agentctl up`, `npm start -- --verbose` is `agentctl up --verbose`, and `npm start -- get runs` is
 * `agentctl get runs`.
 */
const [first] = process.argv.slice(2)
const isHelpRequest = first === '-h' || first === '--help'
if (first === undefined || (first.startsWith('-') && !isHelpRequest)) {
  process.argv.splice(2, 0, 'up')
  await buildConsole().catch((error: unknown) => {
    console.error(
      `The console cannot be built, and the platform starts without its pages: ${error}`,
    )
  })
}
await import(new URL('../apps/agentctl/src/main/agentctl.mjs', import.meta.url).href)
