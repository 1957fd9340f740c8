/** What a gateway instance answered to the question whether it is there. */
export type Sign =
  | 'present'
  /** Nobody of this name is on the bus. */
  | 'absent'
  /** It may be there, but said nothing in time. */
  | 'silent'
  /** Our own bus did not carry the question: that says nothing of the gateway. */
  | 'unasked';

/** Asked this often, in milliseconds. */
export const askEveryMs = 400;
/** Absent so many times in a row: it died. A gateway that only lost its connection is back within half a second. */
const absencesOfTheDead = 4;
/** The same after our own connection was lost: others may take longer to come back than we do. */
const patienceAfterLoss = 8;
/** The same for whoever is found open at our start: the bus and others may have been started again with us. */
const patienceAtStart = 4;
/** Silent, or absent, so many times in a row: about ten seconds. Stopped, cut off, or its machine is dead. */
const silencesOfTheGone = 25;

interface Missed {
  absences: number;
  silences: number;
}

/**
 * Which gateways are gone. The death of a process is proven by the bus within two seconds; silence is none, as a gateway on
 * a busy machine is silent too, so that it is believed much later (ADR 35).
 */
export class Presence {
  private readonly missed = new Map<string, Missed>();
  private isFirstLook = true;

  /** True once the instance has to be taken as gone. */
  isGone(gateway: string, sign: Sign): boolean {
    const { absences, silences } = this.missed.get(gateway) ?? { absences: 0, silences: 0 };
    switch (sign) {
      case 'present':
        this.missed.delete(gateway);
        return false;
      case 'unasked':
        this.missed.set(gateway, { absences: -patienceAfterLoss, silences: 0 });
        return false;
      case 'absent':
        return this.note(gateway, { absences: absences + 1, silences: silences + 1 });
      case 'silent':
        return this.note(gateway, { absences: Math.min(absences, 0), silences: silences + 1 });
    }
  }

  /** Nothing is to be known of any other gateway any more. */
  keepOnly(gateways: readonly string[]): void {
    if (this.isFirstLook)
      for (const gateway of gateways) this.missed.set(gateway, { absences: -patienceAtStart, silences: 0 });
    this.isFirstLook = false;
    const wanted = new Set(gateways);
    for (const gateway of this.missed.keys()) if (!wanted.has(gateway)) this.missed.delete(gateway);
  }

  private note(gateway: string, missed: Missed): boolean {
    this.missed.set(gateway, missed);
    return missed.absences >= absencesOfTheDead || missed.silences >= silencesOfTheGone;
  }
}
