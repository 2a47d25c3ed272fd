// SPDX-License-Identifier: Apache-2.0
/**
 * Says to systemd how a service is, where the unit asks for it (`Type=notify`). Node cannot send to a UNIX datagram socket: the program
 * systemd-notify does. The unit needs `NotifyAccess=all`. Ref: sd_notify(3), systemd-notify(1).
 */
import {NOT_FOUND, type RunProgram} from '@palisade/server/run-program';
import type {CliIo} from '../command-line/io.ts';

export type Notify = (status: string) => void;

/** The first call says that the service is ready, each one sets its status. Notes go to stderr, once. */
export const systemdNotifier = ({env, stderr}: Pick<CliIo, 'env' | 'stderr'>, run: RunProgram): Notify => {
  if ((env['NOTIFY_SOCKET'] ?? '') === '') return () => {};
  let isFirst = true;
  let isNoted = false;
  let sending: Promise<unknown> = Promise.resolve();
  const note = (why: string): void => {
    if (!isNoted)
      stderr.write(
        `palisade: systemd was not notified: ${why}; install systemd-notify, or set Type=exec in the unit\n`,
      );
    isNoted = true;
  };
  const send = async (argv: readonly string[]): Promise<void> => {
    try {
      const {code, stderr: said} = await run(argv);
      if (code !== 0) note(code === NOT_FOUND ? said : `systemd-notify ended with ${code}: ${said.trim()}`);
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
    }
  };
  return status => {
    const argv = ['systemd-notify', ...(isFirst ? ['--ready'] : []), `--status=${status}`];
    isFirst = false;
    sending = sending.then(() => send(argv)); // in their order
  };
};
