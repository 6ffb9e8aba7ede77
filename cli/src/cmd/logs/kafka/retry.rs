//! Requests that are repeated.

use std::{
    thread,
    time::{Duration, Instant},
};

use rdkafka::{
    error::{KafkaError, KafkaResult},
    types::RDKafkaErrorCode as Code,
};

use super::patience::Patience;

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(100);
/// The time in which a member joins its group again in the background, and keeps its partitions. A
/// commit is refused meanwhile.
const REJOINING: Duration = Duration::from_secs(5);

/// Repeats a request that fails temporarily: for as long as the user allows if brokers are away,
/// and for some seconds if the group is about to reassign its partitions, or a signal has asked for
/// the end.
///
/// # Errors
/// The last error.
pub(super) fn repeat<T>(
    patience: &Patience,
    mut ask: impl FnMut() -> KafkaResult<T>,
) -> Result<T, KafkaError> {
    let begun = Instant::now();
    loop {
        match ask() {
            Err(error)
                if begun.elapsed() < time(&error, patience.retry) && !patience.is_cut_short() =>
            {
                thread::sleep(PAUSE);
            }
            answer => return answer,
        }
    }
}

fn time(error: &KafkaError, retry: Duration) -> Duration {
    match error.rdkafka_error_code() {
        Some(code) if is_passing(code) => retry,
        Some(Code::RebalanceInProgress | Code::IllegalGeneration) => REJOINING.min(retry),
        _ => Duration::ZERO,
    }
}

/// Reports whether the group continued without this member.
pub(super) const fn is_lost(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownMemberId
            | Code::IllegalGeneration
            | Code::RebalanceInProgress
            | Code::AssignmentLost
            | Code::StaleMemberEpoch
    )
}

/// Reports whether the error is temporary.
pub(super) const fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::BrokerTransportFailure
            | Code::AllBrokersDown
            | Code::OperationTimedOut
            | Code::MessageTimedOut
            | Code::RequestTimedOut
            | Code::WaitingForCoordinator
            | Code::CoordinatorNotAvailable
            | Code::CoordinatorLoadInProgress
            | Code::NotCoordinator
            | Code::NetworkException
            | Code::LeaderNotAvailable
            | Code::NotLeaderForPartition
            | Code::UnstableOffsetCommit
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the attempts if only the first fails, and returns the result.
    fn asked(first: Code, patience: &Patience) -> (u32, Result<(), KafkaError>) {
        let mut times = 0;
        let answer = repeat(patience, || {
            times += 1;
            match times {
                1 => Err(KafkaError::ConsumerCommit(first)),
                _ => Ok(()),
            }
        });
        (times, answer)
    }

    #[test]
    fn what_may_pass_is_repeated() {
        let patience = Patience::without_end(Duration::from_secs(60));
        for code in [
            Code::NotCoordinator,
            Code::BrokerTransportFailure,
            Code::RebalanceInProgress,
            Code::IllegalGeneration,
        ] {
            assert_eq!(asked(code, &patience), (2, Ok(())), "{code}");
        }
        for code in [Code::UnknownMemberId, Code::GroupAuthorizationFailed] {
            let refused = Err(KafkaError::ConsumerCommit(code));
            assert_eq!(asked(code, &patience), (1, refused), "{code}");
        }
    }

    #[test]
    fn nothing_is_repeated_for_ever() {
        let code = Code::NotCoordinator;
        let refused = Err(KafkaError::ConsumerCommit(code));
        for patience in [
            Patience::without_end(Duration::ZERO),
            Patience::at_its_end(Duration::MAX),
        ] {
            assert_eq!(asked(code, &patience), (1, refused.clone()));
        }
        let (long, error) = (
            Duration::MAX,
            KafkaError::ConsumerCommit(Code::IllegalGeneration),
        );
        assert_eq!(time(&error, long), REJOINING);
    }
}
