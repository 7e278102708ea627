/** Of the commands that show the output of an agent. */
export const rawOption = {
  type: 'boolean',
  help: 'Print the output of the agent byte for byte. By default, the JSON events of known agent CLIs are shown as text.',
} as const
