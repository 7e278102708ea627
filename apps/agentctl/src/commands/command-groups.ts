import type { CommandGroup } from '../cli/help.ts'

/** In the order in which a user needs them. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'The platform on this machine',
    commands: [
      {
        name: 'up',
        summary: 'Run the whole platform on this machine, without a cluster',
        load: async () => (await import('./up.ts')).upCommand,
      },
      {
        name: 'down',
        summary: 'Stop the platform on this machine',
        load: async () => (await import('./down.ts')).downCommand,
      },
      {
        name: 'console',
        summary: 'Open the console in a browser, signed in',
        load: async () => (await import('./console.ts')).consoleCommand,
      },
    ],
  },
  {
    title: 'Runs',
    commands: [
      {
        name: 'run',
        summary:
          'Run a task with an agent, a tool or an Orchestration, and follow it until it ends',
        load: async () => (await import('./run.ts')).runCommand,
      },
      {
        name: 'logs',
        summary: 'Show the output of a run, for all attempts and steps',
        load: async () => (await import('./logs.ts')).logsCommand,
      },
      {
        name: 'artifacts',
        summary: 'List the files that a run left, and its kept output',
        load: async () => (await import('./artifacts.ts')).artifactsCommand,
      },
      {
        name: 'download',
        summary: 'Download the files that a run left, and its kept output',
        load: async () => (await import('./download.ts')).downloadCommand,
      },
      {
        name: 'attach',
        summary: 'Open a shell in the container of a running agent, or run a command there',
        load: async () => (await import('./attach.ts')).attachCommand,
      },
      {
        name: 'explain',
        summary: 'Explain the state of a run: why it waits, runs or has failed',
        load: async () => (await import('./explain.ts')).explainCommand,
      },
      {
        name: 'graph',
        summary: 'Draw the steps of an Orchestration, or of a run with what became of them',
        load: async () => (await import('./graph.ts')).graphCommand,
      },
      {
        name: 'rerun',
        summary: 'Run an Orchestration again, from where a run of it failed or from a step',
        load: async () => (await import('./rerun.ts')).rerunCommand,
      },
      {
        name: 'cancel',
        summary: 'Cancel a run',
        load: async () => (await import('./cancel.ts')).cancelCommand,
      },
      {
        name: 'schedule',
        summary: 'Start the run of a schedule at once, or suspend and resume schedules',
        load: async () => (await import('./schedule.ts')).scheduleCommand,
      },
      {
        name: 'signal',
        summary: 'Deliver a signal, with a payload',
        load: async () => (await import('./signal.ts')).signalCommand,
      },
      {
        name: 'source',
        summary: 'List the issues of an ImplementationSource now',
        load: async () => (await import('./source.ts')).sourceCommand,
      },
    ],
  },
  {
    title: 'Approvals and Budgets',
    commands: [
      {
        name: 'approvals',
        summary: 'List the requests that wait for a decision',
        load: async () => (await import('./approvals.ts')).approvalsCommand,
      },
      {
        name: 'approve',
        summary: 'Approve work that waits, after it was shown',
        load: async () => (await import('./approve.ts')).approveCommand,
      },
      {
        name: 'deny',
        summary: 'Deny work that waits',
        load: async () => (await import('./deny.ts')).denyCommand,
      },
      {
        name: 'budgets',
        summary: 'Show what Budgets have left, and which runs used it',
        load: async () => (await import('./budgets.ts')).budgetsCommand,
      },
    ],
  },
  {
    title: 'Objects',
    commands: [
      {
        name: 'get',
        summary: 'List objects of a kind, or some of them by name',
        load: async () => (await import('./get.ts')).getCommand,
      },
      {
        name: 'describe',
        summary: 'Show an object with its conditions, owned objects and events',
        load: async () => (await import('./describe.ts')).describeCommand,
      },
      {
        name: 'wait',
        summary: 'Wait for a condition of objects, or for their deletion',
        load: async () => (await import('./wait.ts')).waitCommand,
      },
      {
        name: 'apply',
        summary: 'Create or update objects from files',
        load: async () => (await import('./apply.ts')).applyCommand,
      },
      {
        name: 'delete',
        summary: 'Delete objects of a kind by name or by label',
        load: async () => (await import('./delete.ts')).deleteCommand,
      },
    ],
  },
  {
    title: 'History',
    commands: [
      {
        name: 'archive',
        summary: 'List, export and import finished runs that the database keeps',
        load: async () => (await import('./archive.ts')).archiveCommand,
      },
      {
        name: 'audit',
        summary: 'Show what callers of the HTTP API did, and verify the log of it',
        load: async () => (await import('./audit.ts')).auditCommand,
      },
      {
        name: 'inbox',
        summary: 'List deliveries of issue trackers, and process failed ones again',
        load: async () => (await import('./inbox.ts')).inboxCommand,
      },
      {
        name: 'usage',
        summary: 'Sum up what runs have used, by agent, namespace, model, day or label',
        load: async () => (await import('./usage.ts')).usageCommand,
      },
    ],
  },
  {
    title: 'Git',
    commands: [
      {
        name: 'gittarget',
        summary: 'Show the status of mirrors into Git, and restore objects from them',
        load: async () => (await import('./gittarget.ts')).gitTargetCommand,
      },
      {
        name: 'chart',
        summary: 'Update the checksums that restart pods when a Secret or ConfigMap changes',
        load: async () => (await import('./chart.ts')).chartCommand,
      },
    ],
  },
  {
    title: 'Help',
    commands: [
      {
        name: 'doctor',
        summary: 'Check the platform and report problems',
        load: async () => (await import('./doctor.ts')).doctorCommand,
      },
      {
        name: 'completion',
        summary: 'Print a shell script that completes commands, flags, kinds and names',
        load: async () => (await import('./completion.ts')).completionCommand,
      },
      {
        name: 'version',
        summary: 'Show the versions of agentctl and of the cluster',
        load: async () => (await import('./version.ts')).versionCommand,
      },
    ],
  },
]
