// SPDX-License-Identifier: Apache-2.0
import {nearest} from '@palisade/engine/nearest';
import {type Command, commandHelp} from './command.ts';
import {type CliIo, CommandError, EXIT, UsageError} from './io.ts';

/** The server starts without the other commands and what they need. */
const commandsFor = async (name: string | undefined): Promise<readonly Command[]> =>
  name === 'serve' ? [(await import('../commands/serve.ts')).serve] : (await import('../commands/index.ts')).commands;

const overview = (commands: readonly Command[]): string =>
  [
    'palisade: one self-hosted control plane for endpoint sets and intrusion-detection endpoints',
    '',
    'usage: palisade COMMAND [flags]      (palisade COMMAND --help shows flags and examples)',
    '',
    ...commands.map(c => `  ${c.name.padEnd(18)} ${c.summary}`),
    '',
    'examples:',
    '  palisade serve --data ./data --http 127.0.0.1:8080 --auth none',
    '  palisade up --cwd examples/shop',
    '  palisade threats --follow --json',
    '',
    'exit codes: 0 done, 1 failed, 2 usage. Without a reader (| head) a command that only prints ends with 0; serve, up and',
    'the other commands of stacks go on to their end without their output.',
    '',
  ].join('\n');

/** Flags that stand before any command. */
const OWN_FLAGS = ['--version', '--help'];

const unknownWord = (word: string, commands: readonly Command[]): string => {
  const isFlag = word.startsWith('-');
  const near = /^-v$/i.test(word) ? '--version' : nearest(word, isFlag ? OWN_FLAGS : commands.map(c => c.name));
  const hint = near !== undefined ? `: did you mean "${near}"?` : isFlag ? ': the command comes first' : '';
  return `unknown ${isFlag ? 'flag' : 'command'} "${word}"${hint}`;
};

const report = (io: CliIo, message: string): void => {
  for (const line of message.split('\n')) io.stderr.write(`palisade: ${line}\n`);
};

/**
 * Runs one command line and resolves to its exit code; never throws for an expected failure. `goOn` is called before a command that
 * has to come to its end, whoever reads its output.
 */
export async function main(words: readonly string[], io: CliIo, goOn: () => void): Promise<number> {
  const [name, ...rest] = words;
  if (name === 'help' && rest.length > 0) return main([...rest, '--help'], io, goOn);
  const commands = await commandsFor(name);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    (name === undefined ? io.stderr : io.stdout).write(overview(commands));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const command = commands.find(c => c.name === (name === '--version' ? 'version' : name));
  if (command === undefined) {
    report(io, `${unknownWord(name, commands)}\nsee palisade --help`);
    return EXIT.usage;
  }
  if (command.ownHelp !== true && (rest.includes('--help') || rest.includes('-h'))) {
    io.stdout.write(commandHelp(command));
    return EXIT.ok;
  }
  if (command.outlivesReader === true) goOn();
  try {
    return await command.run(rest, io);
  } catch (error) {
    if (error instanceof UsageError) {
      report(io, `${error.message}\nsee palisade ${command.name} --help`);
      return EXIT.usage;
    }
    if (error instanceof CommandError) report(io, error.message);
    else report(io, error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT.failed;
  }
}
