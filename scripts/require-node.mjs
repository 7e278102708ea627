// Plain JavaScript, because it has to run on the old Node versions that it rejects.
const major = Number(process.versions.node.split('.')[0])

if (major < 24) {
  process.stderr.write(
    [
      `This project runs on Node 26, and this is Node ${process.versions.node}.`,
      'npm installs the right one into node_modules/.bin and runs every script with it.',
      'It seems to be missing: run "npm ci" without --omit=optional, then use "npm run <script>".',
      'There are builds for Linux and macOS (x64, arm64) and Windows (x64); elsewhere, install Node 24 or later yourself.',
      '',
    ].join('\n'),
  )
  process.exit(1)
}
