// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2 <0.9.0;

// Tests of the contract `TwoStep`, made by `tranquera tests` from runs that were confirmed: calls with the values
// with which they lead from state to state. After each call, whatever the state forbids has to revert, whoever calls it.
// What is refused for one reason alone shows that this reason is not forgotten.
//
// They need forge-std: put this file into `test/`, and run `forge test`.

import {Test} from "forge-std/Test.sol";
import "two_step.sol";

contract TwoStepTest is Test {
    TwoStep private subject;

    // Somebody who calls, or is named. Number 0 has nothing to do with the contract.
    function person(uint160 number) private pure returns (address payable) {
        return payable(address(0xA11CE000 + number));
    }

    // Covers
    //     TwoStep(nat) -> S1
    //     S1 -transferOwnership-> S2
    //     S2 -transferOwnership-> S1
    //     S2 -transferOwnership-> S2
    //     S2 -acceptOwnership-> S1
    //     S2 -renounceOwnership-> S3
    function test_1_renounceOwnership() public {
        // 1. TwoStep(msg_sender = 1) -> S1 { transferOwnership, renounceOwnership }
        vm.prank(person(1));
        subject = new TwoStep();
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.acceptOwnership();
        }
        // refuses transferOwnership(to = 0, msg_sender = 2): it needs owner == msg_sender
        vm.prank(person(2));
        vm.expectRevert();
        subject.transferOwnership(payable(address(0)));
        // refuses acceptOwnership(msg_sender = 1): it needs pending == msg_sender
        vm.prank(person(1));
        vm.expectRevert();
        subject.acceptOwnership();
        // refuses renounceOwnership(msg_sender = 2): it needs owner == msg_sender
        vm.prank(person(2));
        vm.expectRevert();
        subject.renounceOwnership();
        // 2. transferOwnership(to = 1, msg_sender = 1) -> S2 { transferOwnership, acceptOwnership, renounceOwnership }
        vm.prank(person(1));
        subject.transferOwnership(person(1));
        // 3. transferOwnership(to = 0, msg_sender = 1) -> S1 { transferOwnership, renounceOwnership }
        vm.prank(person(1));
        subject.transferOwnership(payable(address(0)));
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.acceptOwnership();
        }
        // 4. transferOwnership(to = 1, msg_sender = 1) -> S2 { transferOwnership, acceptOwnership, renounceOwnership }
        vm.prank(person(1));
        subject.transferOwnership(person(1));
        // 5. acceptOwnership(msg_sender = 1) -> S1 { transferOwnership, renounceOwnership }
        vm.prank(person(1));
        subject.acceptOwnership();
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.acceptOwnership();
        }
        // 6. transferOwnership(to = 1, msg_sender = 1) -> S2 { transferOwnership, acceptOwnership, renounceOwnership }
        vm.prank(person(1));
        subject.transferOwnership(person(1));
        // 7. transferOwnership(to = 1, msg_sender = 1) -> S2 { transferOwnership, acceptOwnership, renounceOwnership }
        vm.prank(person(1));
        subject.transferOwnership(person(1));
        // 8. renounceOwnership(msg_sender = 1) -> S3 {  }
        vm.prank(person(1));
        subject.renounceOwnership();
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.transferOwnership(person(1));
            vm.prank(person(i));
            vm.expectRevert();
            subject.acceptOwnership();
            vm.prank(person(i));
            vm.expectRevert();
            subject.renounceOwnership();
        }
    }

    // Covers
    //     S1 -transferOwnership-> S1
    //     S1 -renounceOwnership-> S3
    function test_2_renounceOwnership() public {
        // 1. TwoStep(msg_sender = 1) -> S1 { transferOwnership, renounceOwnership }
        vm.prank(person(1));
        subject = new TwoStep();
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.acceptOwnership();
        }
        // 2. transferOwnership(to = 0, msg_sender = 1) -> S1 { transferOwnership, renounceOwnership }
        vm.prank(person(1));
        subject.transferOwnership(payable(address(0)));
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.acceptOwnership();
        }
        // 3. renounceOwnership(msg_sender = 1) -> S3 {  }
        vm.prank(person(1));
        subject.renounceOwnership();
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.transferOwnership(payable(address(0)));
            vm.prank(person(i));
            vm.expectRevert();
            subject.acceptOwnership();
            vm.prank(person(i));
            vm.expectRevert();
            subject.renounceOwnership();
        }
    }
}

// covered: 8 edges
// not covered: none
